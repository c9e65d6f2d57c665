import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import type { RunSummary, RunView } from '../../../src/contract/run/index.ts';
import { aFolder, startTutti, untilEnd, type Ended } from '../run-tutti.ts';

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url));

/** More invocations than any trial needs: then something goes round in circles. */
const maxInvocations = 12;

export interface Effect {
  readonly name: string;
  readonly run: string;
}

/** Starts the process that counts effects; gives where to ask it. */
export async function startCounter(): Promise<string> {
  const counter = spawn(process.execPath, [here('./effect-counter.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void counter.kill('SIGKILL'));
  const [line] = (await once(counter.stdout, 'data')) as [Buffer];
  return `http://127.0.0.1:${line.toString().trim()}/`;
}

export async function effectsOf(counterUrl: string, run: string): Promise<string[]> {
  const effects = (await (await fetch(counterUrl)).json()) as Effect[];
  return effects
    .filter((effect) => effect.run === run)
    .map(({ name }) => name)
    .sort();
}

/** How the process of an invocation is to die: by itself at a fault point, or killed after a time. */
export type Death = { readonly fault: string } | { readonly afterMs: number };

export interface Trial {
  readonly counterUrl: string;
  /** What tells the effects of this trial from those of others. */
  readonly run: string;
  /** Of the first invocations, in order; later ones live. */
  readonly deaths: readonly (Death | null)[];
  /** Of a PostgreSQL database of its own; without it the database is a file. */
  readonly databaseUrl?: string | undefined;
}

interface Machine {
  readonly home: string;
  readonly databaseUrl: string | undefined;
}

export interface TrialEnd {
  readonly view: RunView;
  readonly effects: readonly string[];
  /** Which of the invocations died. */
  readonly died: readonly boolean[];
  /** How long the first invocation took. */
  readonly firstMs: number;
  /** What was answered on the way. */
  readonly answers: readonly string[];
}

/** Runs the plan of twelve steps as its user would, until it is over, with processes that die on the way. */
export async function runTrial({ counterUrl, run, deaths, databaseUrl }: Trial): Promise<TrialEnd> {
  const home = aHome(counterUrl);
  const machine = { home, databaseUrl };
  const died: boolean[] = [];
  const startedAt = performance.now();
  let firstMs: number | undefined;
  const answers: string[] = [];
  let argv = ['run', here('./twelve-steps.plan.yaml'), '--input', `run=${run}`];
  while (died.length < maxInvocations) {
    const { ended, isDead } = await invoke(machine, argv, deaths[died.length] ?? null);
    died.push(isDead);
    firstMs ??= performance.now() - startedAt;
    if (isDead) {
      // A run that was not stored was not acknowledged either: its user starts it once more.
      const stored = await storedRun(machine);
      const isOver = stored?.endedAt !== null;
      if (stored !== undefined) argv = ['runs', isOver ? 'show' : 'resume', stored.runId];
      continue;
    }
    const view = viewOf(argv, ended);
    const effects = await effectsOf(counterUrl, run);
    if (view.status !== 'waiting') {
      // Hundreds of these would else lie about until the test ends.
      rmSync(home, { recursive: true, force: true });
      return { view, effects, died, firstMs, answers };
    }
    argv = answer(view, effects.includes('charge'));
    answers.push(`${argv[1]} ${argv.slice(3).join(' ')}`);
  }
  throw new Error(`The run did not end: ${answers.join(', ')}`);
}

function aHome(counterUrl: string): string {
  const home = aFolder();
  mkdirSync(join(home, '.config', 'tutti'), { recursive: true });
  const world = {
    command: process.execPath,
    args: [here('./effect-server.ts')],
    env: { COUNTER_URL: counterUrl },
    trustAnnotations: true,
  };
  writeFileSync(
    join(home, '.config', 'tutti', 'config.yaml'),
    stringify({ mcpServers: { world }, workflow: { inline_bytes: 1_024 } }),
  );
  return home;
}

async function invoke(
  { home, databaseUrl }: Machine,
  argv: readonly string[],
  death: Death | null,
): Promise<{ ended: Ended; isDead: boolean }> {
  const env = {
    ...(databaseUrl !== undefined && { MCP_DATABASE_URL: databaseUrl }),
    ...(death && 'fault' in death && { TUTTI_FAULT: death.fault }),
  };
  const child = startTutti([...argv, '--json'], { cwd: home, env });
  child.stdin.end();
  const timer =
    death && 'afterMs' in death
      ? setTimeout(() => child.kill('SIGKILL'), death.afterMs)
      : undefined;
  const ended = await untilEnd(child);
  clearTimeout(timer);
  return { ended, isDead: child.signalCode === 'SIGKILL' };
}

async function storedRun(machine: Machine): Promise<RunSummary | undefined> {
  const { ended } = await invoke(machine, ['runs', 'list'], null);
  const runs = JSON.parse(ended.stdout) as RunSummary[];
  if (runs.length > 1) throw new Error(`There are ${runs.length} runs`);
  return runs[0];
}

function viewOf(argv: readonly string[], { stdout, stderr }: Ended): RunView {
  const view = JSON.parse(stdout) as RunView;
  if (view.status === undefined) throw new Error(`tutti ${argv.join(' ')}: ${stdout} ${stderr}`);
  return view;
}

/** What a user does who looks at what the run waits for, and whether the charge has happened. */
function answer({ runId, waitingFor }: RunView, isCharged: boolean): string[] {
  const [wait] = waitingFor;
  if (wait?.kind === 'approval') return ['runs', 'approve', runId, wait.step];
  if (wait?.kind !== 'resolve') throw new Error(`The run waits for ${JSON.stringify(waitingFor)}`);
  const settled = isCharged
    ? ['--happened', '--output', JSON.stringify({ done: 'charge' })]
    : ['--not-happened'];
  return ['runs', 'resolve', runId, wait.step, ...settled];
}
