/**
 * Training from a sentence: a small Llama-shaped checkpoint and questions with answers are made in a temporary folder, the
 * sentence becomes a plan that runs, Tutti is killed (SIGKILL) in the middle of the fine-tuning, and the resumed run ends with a
 * better model, its GGUF of 8 bits and a report. Exits with 1 when something is not so. Needs a sandbox.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeTinyLlama } from '../testkit/ml/tiny-llama.ts';

const sentence =
  'Finetune tiny-llama on @data/qa.jsonl for 40 steps with LoRA r=8, quantize to 8 bit and compare both';
const program = join(import.meta.dirname, '../bin/tutti.js');
const folder = mkdtempSync(join(tmpdir(), 'tutti-train-'));
const project = join(folder, 'project');
const env = { ...process.env, TUTTI_HOME: join(folder, 'home') };
/** A machine that is busy with other work needs this long for all of it. */
const limitMs = 240_000;

process.exitCode = 1;
try {
  await main();
  process.exitCode = 0;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function main(): Promise<void> {
  makeProject();
  const killed = await killDuring(['ask', '--yes', sentence], /tuned: running/);
  check(killed, 'the fine-tuning was not reached');
  const [run] = json(['runs', 'list', '--json']);
  const resumed = tutti(['runs', 'resume', String(run?.['runId'])]);
  check(resumed.status === 0, `the run did not resume: ${resumed.stderr}`);
  const models = tutti(['trained']).stdout;
  check(/tiny-llama-finetuned@1 {2}finetuned llama/.test(models), models);
  check(/quantized gguf.* from tiny-llama-finetuned@1/.test(models), models);
  const [loaded] = json(['call', 'ml.load_dataset', 'source=data/qa.jsonl', '--json']);
  const compare = [
    'first=tiny-llama-finetuned',
    'second=tiny-llama',
    `dataset=${String(loaded?.['dataset'])}`,
  ];
  const compared = tutti(['call', 'ml.compare_models', ...compare]).stdout;
  check(compared.includes('tiny-llama-finetuned is better'), compared);
  console.log(`${models}\n${compared}`);
}

function makeProject(): void {
  makeTinyLlama(join(project, 'tiny-llama'));
  mkdirSync(join(project, 'data'), { recursive: true });
  const rows = Array.from({ length: 150 }, (_, at) => {
    const [one, other] = [at % 17, (at * 7) % 23];
    return { question: `What is ${one} plus ${other}? (${at})`, answer: ` ${one + other}` };
  });
  writeFileSync(join(project, 'data/qa.jsonl'), rows.map((row) => JSON.stringify(row)).join('\n'));
}

function tutti(args: readonly string[]) {
  const options = { cwd: project, env, encoding: 'utf8', timeout: limitMs } as const;
  return spawnSync(process.execPath, [program, ...args], options);
}

function json(args: readonly string[]): readonly Readonly<Record<string, unknown>>[] {
  const { stdout } = tutti(args);
  const value: unknown = JSON.parse(stdout);
  // Results of commands are objects or lists of them.
  return [value].flat() as Readonly<Record<string, unknown>>[];
}

/** Whether the output said so and the process was killed then. */
async function killDuring(args: readonly string[], sign: RegExp): Promise<boolean> {
  const child = spawn(process.execPath, [program, ...args], {
    cwd: project,
    env,
    timeout: limitMs,
  });
  let said = '';
  let isReached = false;
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (isReached || !sign.test(said)) return;
      isReached = true;
      child.kill('SIGKILL');
    });
  }
  await new Promise((resolve) => child.on('exit', resolve));
  if (!isReached) console.error(said);
  return isReached;
}

function check(isTrue: boolean, otherwise: string): void {
  if (!isTrue) throw new Error(otherwise);
}
