/**
 * A process that owns programs as Tutti does, started by tests in order to be killed:
 * `own-programs.ts RUN_DIRECTORY ENDING`. Says `starting` before the first program and `started` after
 * the last one; then ends as told, or waits to be killed. `nest` lets it own a copy of itself.
 */
import { createProcessOwner, silentLog, type ProcessSpec } from '../../src/kernel/index.ts';

const [runDirectory = '', ending = 'wait'] = process.argv.slice(2);

const env = { PATH: process.env['PATH'] ?? '' };
const shell = (script: string): ProcessSpec => ({ command: 'sh', args: ['-c', script], env });

const programs: readonly ProcessSpec[] = [
  // A wrapper, as npx is one.
  shell(`"${process.execPath}" -e 'setInterval(() => {}, 1e6)' & wait`),
  // A child that leaves the group, and one that loses its parent besides.
  shell('setsid sleep 1000 & exec cat'),
  shell('(setsid sh -c "sleep 1000 & exec sleep 1001" &) ; exec sleep 1002'),
  // Hears no request, and starts something all the time.
  shell('trap "" TERM HUP INT; while :; do sleep 0.05; done'),
];

const itself: ProcessSpec = {
  command: process.execPath,
  args: [import.meta.filename, runDirectory, 'wait'],
  env,
};

const owner = createProcessOwner({ runDirectory, log: silentLog });
// Loads what is loaded with the first program, so that the rest takes about as long every time.
await owner.measure(process.pid);
process.stdout.write('starting\n');
if (ending === 'throw early') setTimeout(fail, Math.random() * 100);
const chosen = ending === 'nest' ? [itself] : programs;
const started = await Promise.all(chosen.map((spec) => owner.start(spec)));
for (const program of started) program.stdout.resume();
process.stdout.write('started\n');

if (ending === 'throw') fail();
if (ending === 'exit') process.exit(0);
if (ending === 'close') await owner.close();
else setInterval(() => {}, 1_000_000);

function fail(): never {
  throw new Error('this process was told to fail');
}
