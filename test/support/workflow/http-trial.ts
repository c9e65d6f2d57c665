import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished, vi } from 'vitest';
import { stringify } from 'yaml';
import type { RunSummary, RunView } from '../../../src/contract/run/index.ts';
import { aFolder, startTutti, untilEnd } from '../run-tutti.ts';
import type { Book, Script } from './http-bank.ts';

/** Calls may take this long; the slowest charge takes a little less. */
export const callLimitMs = 2_000;
/** More invocations than any trial needs: then something goes round in circles. */
const maxInvocations = 8;
const settleLimitMs = 20_000;

/** One charge over HTTP whose answer is lost, late, doubled or refused, and whose caller is killed. */
export interface HttpTrial {
  readonly script: Script;
  readonly hasRetry: boolean;
  readonly hasReconcile: boolean;
  /** arrived: as soon as the server has the call · else where the process dies by itself, in order. */
  readonly kills: readonly ('arrived' | { readonly fault: string })[];
  readonly resumes: 'at once' | 'later';
}

export interface HttpTrialEnd {
  readonly status: string;
  readonly charges: number;
  /** Invocations that were killed. */
  readonly died: number;
  /** What a person had to say, by what the book says. */
  readonly answers: readonly string[];
}

/** Runs the plan as its user would, until it is over. */
export async function runHttpTrial(trial: HttpTrial): Promise<HttpTrialEnd> {
  const program = fileURLToPath(new URL('./http-bank.ts', import.meta.url));
  const bank = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void bank.kill('SIGKILL'));
  try {
    const [line] = (await once(bank.stdout, 'data')) as [Buffer];
    return await runWith(`http://127.0.0.1:${line.toString().trim()}`, trial);
  } finally {
    bank.kill('SIGKILL');
  }
}

async function runWith(bankUrl: string, trial: HttpTrial): Promise<HttpTrialEnd> {
  const home = aHome(bankUrl, trial);
  const answers: string[] = [];
  let died = 0;
  let argv = ['run', join(home, 'charge.plan.yaml')];
  for (let invocation = 0; invocation < maxInvocations; invocation += 1) {
    const ended = await invoke(home, argv, { bankUrl, kill: trial.kills[invocation] });
    if (ended === undefined) {
      died += 1;
      if (trial.resumes === 'later') await untilQuiet(bankUrl);
      const stored = await storedRun(home);
      if (stored) argv = ['runs', stored.endedAt === null ? 'resume' : 'show', stored.runId];
      continue;
    }
    const view = JSON.parse(ended) as RunView;
    if (view.status !== 'waiting') {
      const { charges } = await untilQuiet(bankUrl);
      rmSync(home, { recursive: true, force: true });
      return { status: view.status, charges: charges.length, died, answers };
    }
    argv = await answerFrom(view, bankUrl);
    answers.push(argv[4] ?? '');
  }
  throw new Error(`The run did not end: ${JSON.stringify({ trial, answers })}`);
}

function aHome(bankUrl: string, { script, hasRetry, hasReconcile }: HttpTrial): string {
  const home = aFolder();
  mkdirSync(join(home, '.config', 'tutti'), { recursive: true });
  const bank = { url: `${bankUrl}/mcp`, timeoutMs: callLimitMs };
  writeFileSync(
    join(home, '.config', 'tutti', 'config.yaml'),
    stringify({ mcpServers: { bank }, performance: { timeout_seconds: callLimitMs / 1_000 } }),
  );
  const reconcile = {
    tool: 'bank.find_charge',
    args: { order: 'one' },
    happened: '${result.rows.length} > 0',
    output: { charged: '${result.rows[0].order}' },
  };
  const charge = {
    id: 'charge',
    tool: 'bank.charge',
    args: { order: 'one', script },
    ...(hasRetry && { retry: { attempts: 3, backoffMs: 10 } }),
    ...(hasReconcile && { reconcile }),
  };
  writeFileSync(join(home, 'charge.plan.yaml'), stringify({ steps: [charge] }));
  return home;
}

interface Conditions {
  readonly bankUrl: string;
  readonly kill: HttpTrial['kills'][number] | undefined;
}

/** What it printed; undefined when it was killed. */
async function invoke(
  home: string,
  argv: readonly string[],
  { bankUrl, kill }: Conditions,
): Promise<string | undefined> {
  const env = typeof kill === 'object' ? { TUTTI_FAULT: kill.fault } : {};
  const child = startTutti([...argv, '--json'], { cwd: home, env });
  child.stdin.end();
  const ending = untilEnd(child);
  if (kill === 'arrived') {
    await untilBook(bankUrl, ({ calls }) => calls.length > 0 || child.exitCode !== null);
    child.kill('SIGKILL');
  }
  const { stdout, stderr } = await ending;
  if (child.signalCode === 'SIGKILL') return undefined;
  if (stdout === '') throw new Error(`tutti ${argv.join(' ')}: ${stderr}`);
  return stdout;
}

async function storedRun(home: string): Promise<RunSummary | undefined> {
  const child = startTutti(['runs', 'list', '--json'], { cwd: home });
  child.stdin.end();
  return (JSON.parse((await untilEnd(child)).stdout) as RunSummary[])[0];
}

/** What a careful person says: once nothing is under way any more, what the book says. */
async function answerFrom({ runId, waitingFor }: RunView, bankUrl: string): Promise<string[]> {
  const [wait] = waitingFor;
  if (wait?.kind !== 'resolve') throw new Error(`The run waits for ${JSON.stringify(waitingFor)}`);
  const { charges } = await untilQuiet(bankUrl);
  const said = charges.length > 0 ? '--happened' : '--not-happened';
  return ['runs', 'resolve', runId, wait.step, said];
}

function untilQuiet(bankUrl: string): Promise<Book> {
  return untilBook(bankUrl, ({ underway }) => underway === 0);
}

function untilBook(bankUrl: string, isSo: (book: Book) => boolean): Promise<Book> {
  return vi.waitUntil(
    async () => {
      const response = await fetch(`${bankUrl}/book`).catch(() => undefined);
      const book = (await response?.json()) as Book | undefined;
      return book !== undefined && isSo(book) && book;
    },
    { timeout: settleLimitMs, interval: 10 },
  );
}
