import { enableCompileCache } from 'node:module';

const flushLimitMs = 2_000;

/** The streams and signals of this process around `main`. `bin/tutti.js` imports it. */
async function start(): Promise<void> {
  enableCompileCache();
  const { main } = await import('./main.ts');
  const ending = new AbortController();
  const end = (): void => {
    // Who asks twice does not want to wait for a graceful end.
    if (ending.signal.aborted) process.exit(130);
    ending.abort(new Error('The program was asked to end'));
  };
  process.on('SIGINT', end);
  process.on('SIGTERM', end);
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // The reader went away, as in `tutti tools | head -1`: nobody is left to tell.
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
  const exitCode = await main(process.argv.slice(2), {
    // Opened by who reads it: opening costs time, and most commands do not.
    get stdin() {
      return process.stdin;
    },
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    cwd: process.cwd(),
    signal: ending.signal,
    compose: () => import('../compose/index.ts'),
  });
  // What is written to a pipe may still be on its way; neither a stray handle nor a reader that
  // does not read may keep the process.
  const exit = (): void => process.exit(exitCode);
  setTimeout(exit, flushLimitMs);
  process.stdout.write('', exit);
}

await start();
