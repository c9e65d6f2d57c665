import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import type { ClientEntry, EntryCheck } from '../../contract/client-connection/index.ts';

interface CheckOptions {
  /** The folder the program is started in, which is not the project's: clients start it anywhere. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs?: number;
}

const usualTimeoutMs = 30_000;
const endTimeoutMs = 3_000;
const maxErrorChars = 300;

const requests = [
  {
    id: 1,
    method: 'initialize',
    params: {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'tutti-connect', version: '1' },
    },
  },
  { method: 'notifications/initialized' },
  { id: 2, method: 'tools/list', params: {} },
];

const answerSchema = z.looseObject({
  id: z.unknown(),
  error: z.looseObject({ message: z.string() }).optional(),
  result: z.looseObject({ tools: z.array(z.unknown()).optional() }).optional(),
});

/** Starts the entry as a client does, lists its tools and ends it. */
export async function checkEntry(entry: ClientEntry, options: CheckOptions): Promise<EntryCheck> {
  const child = spawn(entry.command, [...entry.args], {
    cwd: options.cwd,
    env: withoutOwnVariables(options.env),
    stdio: ['pipe', 'pipe', 'pipe'],
    windowsHide: true,
  });
  const { timeoutMs = usualTimeoutMs } = options;
  const timer = new AbortController();
  try {
    return await Promise.race([converse(child), afterTimeout(timeoutMs, timer.signal)]);
  } finally {
    timer.abort();
    await end(child);
  }
}

/** A client started from a desktop does not have the variables of this shell. */
function withoutOwnVariables(env: CheckOptions['env']): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('TUTTI_')));
}

async function converse(child: ChildProcess): Promise<EntryCheck> {
  let errors = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    errors = `${errors}${chunk.toString()}`.slice(-maxErrorChars);
  });
  const failed = new Promise<EntryCheck>((resolve) => {
    child.once('error', (error) => resolve({ kind: 'failed', reason: error.message }));
    child.once('close', (code) => {
      const reason = errors.trim() || `it ended with exit code ${code ?? 'none'}`;
      resolve({ kind: 'failed', reason });
    });
  });
  child.stdin?.on('error', () => {});
  for (const request of requests) {
    child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...request })}\n`);
  }
  return Promise.race([failed, readAnswers(child, failed)]);
}

async function readAnswers(child: ChildProcess, failed: Promise<EntryCheck>): Promise<EntryCheck> {
  if (child.stdout === null) return failed;
  for await (const line of createInterface({ input: child.stdout })) {
    const answer = answerSchema.safeParse(readJson(line)).data;
    if (answer?.error !== undefined) return { kind: 'failed', reason: answer.error.message };
    const tools = answer?.id === 2 ? answer.result?.tools : undefined;
    if (tools !== undefined) return { kind: 'works', tools: tools.length };
  }
  return failed;
}

function readJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function afterTimeout(timeoutMs: number, signal: AbortSignal): Promise<EntryCheck> {
  return new Promise((resolve) => {
    const reason = `it did not answer within ${timeoutMs} ms`;
    const timer = setTimeout(() => resolve({ kind: 'failed', reason }), timeoutMs);
    signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  });
}

/** Closing its input ends a server. */
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.stdin?.end();
  child.stdout?.resume();
  const timer = setTimeout(() => child.kill('SIGKILL'), endTimeoutMs);
  await ended;
  clearTimeout(timer);
}
