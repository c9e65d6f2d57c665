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

const request =
  'Review cart.js, show the coding standard for JavaScript, and search the memory nodes for cart';

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
    await killAndResume(stage, await planSentence(stage));
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
    'The reference "memory" server, a third-party program, holds what the team knows about its shop.',
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
  // It says which of its tools only read; believed, those need no approval.
  const options = ['--env', env, '--trust-annotations'];
  await stage.show(['servers', 'add', 'memory', ...options, '--', 'mcp-server-memory'], {
    contains: 'was added',
  });
  await stage.show(['servers'], { contains: 'memory', lines: 20 });
}

/** Returns the answer that accepts the plan over all three servers: "yes", or the number of its reading. */
async function planSentence(stage: Stage): Promise<string> {
  stage.scene(
    '2. A sentence becomes a plan over three servers',
    `No model is connected: Tutti plans by itself and checks the plan. Where it is unsure it shows several readings, and runs nothing before you
choose.`,
  );
  const output = await stage.show(['ask', request], {
    contains: 'memory.search_nodes',
    exitCode: 4,
    lines: 30,
  });
  const readings = output.split(/^(?=\d\. )/m).filter((text) => text.includes('.search_nodes('));
  return /^\d(?=\. )/.exec(readings[0] ?? '')?.[0] ?? 'yes';
}

async function killAndResume(stage: Stage, answer: string): Promise<void> {
  stage.scene(
    '3. kill -9, and the run continues where it stopped',
    'You accept; the process is killed as soon as one step is done, while others are still running.',
  );
  await stage.show(['ask', '--session', 'last', answer], {
    contains: 'succeeded',
    killAt: /: succeeded/,
  });
  const [run] = await stage.query(['runs', '--json'], z.array(z.object({ runId: z.string() })));
  const runId = run?.runId ?? '';
  await stage.show(['runs'], { contains: runId });
  await stage.show(['runs', 'resume', runId], { contains: 'succeeded after', lines: 5, tail: 1 });
}

async function approveEffect(stage: Stage): Promise<void> {
  stage.scene(
    '4. A change waits for your approval',
    'You see the change as a diff before it is made, approve it once, and can undo it.',
  );
  const before = stage.read('cart.js');
  await stage.show(['ask', 'format cart.js and save it', '--yes'], {
    contains: 'waits for approval',
    exitCode: 4,
    lines: 40,
  });
  if (stage.read('cart.js') !== before) throw new DemoError('cart.js changed without approval');
  const [run] = await stage.query(['runs', '--json'], z.array(z.object({ runId: z.string() })));
  await stage.show(['runs', 'approve', run?.runId ?? '', '--reason', 'looks right'], {
    contains: 'succeeded after',
    lines: 3,
    tail: 1,
  });
  if (stage.read('cart.js') === before) throw new DemoError('cart.js was not changed');
  await stage.show(['call', 'workspace.undo_changes'], { contains: '1 file changed', lines: 2 });
  if (stage.read('cart.js') !== before) throw new DemoError('cart.js was not restored');
}

async function findMissingSandbox(stage: Stage): Promise<string | undefined> {
  const checks = await stage.query(
    ['doctor', '--json'],
    z.array(z.object({ name: z.string(), message: z.string(), fix: z.string().optional() })),
  );
  const sandbox = checks.find(({ name }) => name === 'sandbox');
  if (sandbox?.message.startsWith('runs ')) return undefined;
  const fix = sandbox?.fix === undefined ? '' : `\nTo fix that: ${sandbox.fix}`;
  return `${sandbox?.message ?? 'there is no sandbox'}${fix}`;
}

function skipSandbox(stage: Stage, reason: string): void {
  stage.scene(
    '5 and 6 are skipped',
    `They run untrusted programs, and this machine has no sandbox for them:\n${reason}`,
  );
}

async function holdHostilePrograms(stage: Stage): Promise<void> {
  stage.scene(
    '5. Tests run in a sandbox, and a hostile program is held',
    'No network, no file of yours, limits on everything. First the tests of the shop, then a fork bomb, then a thief.',
  );
  await stage.show(['call', 'exec.run_tests', 'path=.'], { contains: '4 passed, 0 failed' });
  // It keeps trying: a bomb whose first process ends is over before all that hold it have looked.
  const bomb = 'b() { while :; do b & done; }; b';
  await stage.show(['call', 'exec.run_code', 'language=shell', `code=${bomb}`], {
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
        contains: 'Self-tested, NOT verified (code_endpoint, 3 attempts)',
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
  await stage.show(['trace'], { contains: 'workspace.undo_changes', lines: 8 });
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
