/**
 * A process that holds sandboxes as Tutti does, started by tests in order to be killed:
 * `doomed-supervisor.ts RUN_DIRECTORY COUNT running|warm`. Says `starting` before the first and `started` once
 * all of them run a program, or wait for one; then waits to be killed.
 */
import { defaultLimits } from '../../../src/sandbox/limits.ts';
import { atATime } from '../at-a-time.ts';
import { openBubblewrap } from './drivers.ts';

const [runDirectory = '', count = '1', mode = 'running'] = process.argv.slice(2);
/** More starts at once than processors only make each slower. */
const startsAtOnce = 4;

/** Leaves its session, holds the output open, ignores what it can, and has a child that does the same. */
const stubborn = `
import os, signal, time
for number in range(1, 32):
    try: signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError): pass
open("/tmp/file", "w").write("x" * 100000)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0: time.sleep(600)
    time.sleep(600)
print("up", flush=True)
time.sleep(600)
`;

const { driver } = openBubblewrap(runDirectory);
const toolchain = await driver.findToolchain('python');
const limits = { ...defaultLimits, wallMs: 600_000, memoryBytes: 128 * 1024 * 1024, pids: 16 };
process.stdout.write('starting\n');
await atATime(startsAtOnce, Array.from({ length: Number(count) }), start);
process.stdout.write('started\n');
setInterval(() => {}, 1_000_000);

async function start(): Promise<void> {
  const sandbox = await driver.prepare({ toolchain, boot: 'python', mounts: [], limits });
  if (mode === 'warm') return;
  await new Promise<void>((resolve, reject) => {
    const job = {
      program: { kind: 'python', main: 'main.py', args: [] },
      files: { 'main.py': stubborn },
      env: {},
      stdin: '',
      limits,
      collect: null,
    } as const;
    sandbox
      .run(job, { onOutput: () => resolve() })
      .then(
        (result) => reject(new Error(`ended before its time: ${JSON.stringify(result)}`)),
        reject,
      );
  });
}
