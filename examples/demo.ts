/**
 * The demo: six scenes that each run the real `tutti` on a sample project in a temporary folder and check what it printed. Needs no key,
 * no Docker and no terminal. Ends with exit code 1 and one sentence when a scene does not go as told.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { cheatingAnswers } from './demo/cheating-answers.ts';
import { startScriptedModel } from './demo/scripted-model.ts';
import { DemoError, Stage } from './demo/stage.ts';

const request = 'Review @cart.js and run the tests of this folder';

await main();

async function main(): Promise<void> {
  let stage: Stage | undefined;
  process.once('SIGINT', () => {
    stage?.close();
    process.exit(130);
  });
  try {
    stage = new Stage();
    await addServer(stage);
    await planSentence(stage);
    await killAndResume(stage);
    await approveEffect(stage);
    const missing = await findMissingSandbox(stage);
    if (missing === undefined) {
      await holdHostilePrograms(stage);
      await catchCheating(stage);
    } else {
      skipSandbox(stage, missing);
    }
    await checkTraces(stage);
    suggestNext(stage);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    console.error(`make demo: ${message.split('\n', 1)[0]}`);
    process.exitCode = 1;
  } finally {
    stage?.close();
  }
}

async function addServer(stage: Stage): Promise<void> {
  stage.scene(
    '1. Any MCP server joins the fleet',
    'The reference "memory" server, a program of somebody else, holds what a team knows about its shop.',
  );
  const memory = join(stage.home, 'memory.jsonl');
  writeFileSync(
    memory,
    `${JSON.stringify({
      type: 'entity',
      name: 'cart',
      entityType: 'module',
      observations: ['Prices are integers, in cents'],
    })}\n`,
  );
  const env = `MEMORY_FILE_PATH=${memory}`;
  await stage.show(['servers', 'add', 'memory', '--env', env, '--', 'mcp-server-memory'], {
    contains: 'was added',
  });
  await stage.show(['servers'], { contains: 'memory', lines: 20 });
}

async function planSentence(stage: Stage): Promise<void> {
  stage.scene(
    '2. A sentence becomes a plan over several servers',
    'No model is connected: Tutti plans by itself, checks the plan, and runs nothing before you agree.',
  );
  await stage.show(['ask', request], { contains: 'code.review_code', exitCode: 4, lines: 20 });
}

async function killAndResume(stage: Stage): Promise<void> {
  stage.scene(
    '3. kill -9, and the run goes on where it stopped',
    'You agree; the process is killed as soon as the first step is done, while the others are under way.',
  );
  await stage.show(['ask', '--session', 'last', 'yes'], {
    contains: 'succeeded',
    killAt: /: succeeded/,
  });
  const [run] = await stage.query(['runs', '--json'], z.array(z.object({ runId: z.string() })));
  const runId = run?.runId ?? '';
  await stage.show(['runs'], { contains: runId });
  await stage.show(['runs', 'resume', runId], {
    contains: 'succeeded after',
    lines: 4,
    tail: 1,
  });
}

async function approveEffect(stage: Stage): Promise<void> {
  stage.scene(
    '4. An effect waits for your approval',
    'The last step of this plan writes to the memory server, so it does not happen unasked.',
  );
  const output = await stage.show(['run', 'release.plan.yaml'], {
    contains: 'waits for approval',
    exitCode: 4,
    lines: 20,
  });
  const runId = /runs approve (\w+)/.exec(output)?.[1] ?? '';
  await stage.show(['runs', 'approve', runId, '--reason', 'numbers look right'], {
    contains: 'succeeded after',
    lines: 2,
    tail: 1,
  });
  await stage.show(['call', 'memory.open_nodes', 'names=["cart"]'], {
    contains: 'Release check: 0 secrets',
    lines: 16,
  });
}

async function findMissingSandbox(stage: Stage): Promise<string | undefined> {
  const checks = await stage.query(
    ['doctor', '--json'],
    z.array(z.object({ name: z.string(), message: z.string(), fix: z.string().optional() })),
  );
  const sandbox = checks.find(({ name }) => name === 'sandbox');
  if (sandbox?.message.startsWith('runs ')) return undefined;
  return `${sandbox?.message ?? 'there is no sandbox'}. ${sandbox?.fix ?? ''}`;
}

function skipSandbox(stage: Stage, reason: string): void {
  stage.scene(
    '5 and 6 are skipped',
    `They run programs that must not be trusted, and this machine has nothing that can hold them:\n${reason}`,
  );
}

async function holdHostilePrograms(stage: Stage): Promise<void> {
  stage.scene(
    '5. Tests run in a sandbox, and a hostile program is held',
    'No network, no file of yours, limits on everything. First the tests of the shop, then a fork bomb, then a thief.',
  );
  await stage.show(['call', 'exec.run_tests', 'path=.'], { contains: '4 passed, 0 failed' });
  await stage.show(['call', 'exec.run_code', 'language=shell', 'code=:(){ :|:& };:; wait'], {
    contains: 'killed: pids',
    lines: 2,
  });
  const theft = 'cat /etc/shadow ~/memory.jsonl; ls /home; env';
  await stage.show(['call', 'exec.run_code', 'language=shell', `code=${theft}`], {
    contains: '/etc/shadow: No such file',
    lines: 14,
  });
}

async function catchCheating(stage: Stage): Promise<void> {
  stage.scene(
    '6. Code that cheats its tests is caught',
    `This "model" is a script that comes with the demo. Its first answer has a test that checks nothing, its second recognizes a test run and
returns the expected values; both claim "All tests pass". The third is honest.`,
  );
  const model = await startScriptedModel(cheatingAnswers);
  try {
    await stage.show(
      ['call', 'code.generate_code', 'language=javascript', 'description=isLeapYear(year)'],
      {
        env: { STARCODER_ENDPOINT: model.url },
        contains: 'Verified (code_endpoint, 3 attempts)',
      },
    );
    stage.say('What Tutti told the model about its first two answers:');
    for (const prompt of model.prompts.slice(1)) {
      const findings = prompt.split('What the checks found:\n')[1] ?? '';
      if (findings === '') throw new DemoError('a repair request carries no findings');
      stage.say(`  ${findings.split('\n', 1)[0]}`);
    }
  } finally {
    await model.close();
  }
}

async function checkTraces(stage: Stage): Promise<void> {
  stage.scene('Everything left a trace', 'Each call and each run, with its time and its outcome.');
  await stage.show(['trace'], { contains: 'run Release check', lines: 8 });
  const traces = await stage.query(['trace', '--json'], z.array(z.object({ errors: z.int() })));
  if (traces.some(({ errors }) => errors > 0)) {
    throw new DemoError('a command of the demo left a failed trace');
  }
}

function suggestNext(stage: Stage): void {
  stage.scene(
    'Your turn',
    `  make install               put "tutti" on your PATH
  cd your/project && tutti   talk to it
  tutti connect              use it from Claude, Cursor, VS Code, Zed …
  docs/tutorial.md           your repository in ten minutes`,
  );
}
