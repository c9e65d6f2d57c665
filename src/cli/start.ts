import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import type { FrontDesk } from './first-answers/front-desk.ts';

const flushLimitMs = 2_000;

/**
 * How much work a WASM function does before V8 optimises it: 100 × V8's default. Ruff's largest functions
 * take seconds and hundreds of megabytes to optimise, in background threads that the end of the process
 * waits for, so a short command paid for an optimisation that it never used.
 */
const wasmTieringBudget = 1_300_000_000;

/**
 * How much V8 enlarges the part of the heap for new objects at a time: 8 × its default. Nearly all that starting allocates is kept, so that
 * collecting it in between took a tenth of a cold `tutti ask` (470 ms of CPU, 430 ms without). Processes that
 * run long keep the default, with which they take 10 MB less.
 */
const newSpaceGrowth = 16;
const longRunning = new Set(['mcp', 'serve', 'worker']);

const signals = ['SIGINT', 'SIGTERM'] as const;

/** The streams and signals of this process around `main`. `bin/tutti.js` imports it. */
async function start(): Promise<void> {
  // Before the compile cache: its entries are valid only under the flags they were made with.
  setFlagsFromString(`--wasm-tiering-budget=${wasmTieringBudget}`);
  const argv = process.argv.slice(2);
  const command = argv.find((word) => !word.startsWith('-'));
  if (command !== undefined && !longRunning.has(command)) {
    setFlagsFromString(`--semi-space-growth-factor=${newSpaceGrowth}`);
  }
  enableCompileCache();
  const ending = new AbortController();
  const end = (signal: NodeJS.Signals): void => {
    // A second signal ends the process at once, by the system: `process.exit` waits for work in other threads.
    for (const each of signals) process.off(each, end);
    ending.abort(new Error('The program was asked to end', { cause: signal }));
  };
  for (const signal of signals) process.on(signal, end);
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // The reader closed the pipe, as in `tutti tools | head -1`.
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
  // What a terminal is given is cleaned first, which the desk does not do.
  const isKept = argv.includes('mcp') && !process.stdout.isTTY;
  const desk = isKept ? await openFirstAnswers(argv) : undefined;
  await desk?.untilQuiet;
  const { main } = await import('./main.ts');
  const exitCode = await main(argv, {
    // Opened on first use: it costs time, and most commands do not read it.
    get stdin() {
      return process.stdin;
    },
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    cwd: process.cwd(),
    signal: ending.signal,
    compose: () => import('../compose/index.ts'),
    desk,
  });
  // What is written to a pipe may still be on its way; neither a stray handle nor a reader that
  // does not read may keep the process.
  const exit = (): void => process.exit(exitCode);
  setTimeout(exit, flushLimitMs);
  process.stdout.write('', exit);
}

/** Sources change without a new version, so what they answered holds for no other process. */
async function openFirstAnswers(argv: readonly string[]): Promise<FrontDesk | undefined> {
  if (import.meta.url.endsWith('.ts')) return undefined;
  const { openFrontDesk } = await import('./first-answers/front-desk.ts');
  // This module names all others of its build, and they are named after what they hold.
  const program = [
    import.meta.filename,
    fileURLToPath(new URL('../../package.json', import.meta.url)),
  ];
  return openFrontDesk({ program, argv, cwd: process.cwd(), env: process.env }, process);
}

await start();
