import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { silentLog, sweepLeftovers } from '../../src/kernel/index.ts';
import { aDirectory } from '../../testkit/observe/a-directory.ts';
import { isProof, seededRandom } from '../../testkit/sample.ts';
import { guardiansOf, marksIn, survivorsOf } from '../support/survivors.ts';

const program = fileURLToPath(new URL('../support/own-programs.ts', import.meta.url));

/** The promise: this long after the death of an owner nothing of it runs. */
const survivalMs = 2_000;
const rounds = isProof ? 200 : 20;
const roundsAtOnce = 4;

const endings = ['SIGTERM', 'SIGHUP', 'SIGSEGV', 'throw', 'throw early', 'exit', 'close'];

/** An owner of four programs that has begun to start them, or has started them all. */
async function anOwner(
  runDirectory: string,
  { ending = 'wait', until = 'starting' }: { ending?: string; until?: 'starting' | 'started' } = {},
): Promise<ChildProcess> {
  const owner = spawn(process.execPath, [program, runDirectory, ending], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => void owner.kill('SIGKILL'));
  for await (const line of createInterface({ input: owner.stdout })) if (line === until) break;
  return owner;
}

async function untilDead(owner: ChildProcess): Promise<void> {
  if (owner.exitCode === null && owner.signalCode === null) await once(owner, 'exit');
}

function survivorsIn(runDirectory: string): string[] {
  return marksIn(runDirectory).flatMap(survivorsOf);
}

async function inRounds(count: number, round: (index: number) => Promise<void>): Promise<void> {
  const indices = Array.from({ length: count }, (_, index) => index);
  for (let first = 0; first < count; first += roundsAtOnce) {
    await Promise.all(indices.slice(first, first + roundsAtOnce).map(round));
  }
}

// Survivors are looked for in /proc.
describe.skipIf(process.platform !== 'linux')('the death of an owner of programs', () => {
  it(
    `leaves no descendant of its programs alive after 2 s, killed at any moment (${rounds} rounds)`,
    { timeout: rounds * 10_000 },
    async () => {
      const random = seededRandom(11);
      let killedWithPrograms = 0;
      await inRounds(rounds, async () => {
        const runDirectory = aDirectory();
        const delayMs = random() * 150;
        const owner = await anOwner(runDirectory);
        await sleep(delayMs);
        owner.kill('SIGKILL');
        await untilDead(owner);
        killedWithPrograms += marksIn(runDirectory).length;
        await sleep(survivalMs);
        expect(survivorsIn(runDirectory)).toEqual([]);
        expect(marksIn(runDirectory).flatMap(guardiansOf)).toEqual([]);
      });
      expect(killedWithPrograms).toBeGreaterThan(rounds / 2);
    },
  );

  it('leaves no descendant of its programs alive after 2 s, however it ended', async () => {
    await Promise.all(
      endings.map(async (ending) => {
        const runDirectory = aDirectory();
        const until = ending === 'throw early' ? 'starting' : 'started';
        const owner = await anOwner(runDirectory, { ending, until });
        // The other endings are its own doing.
        if (ending.startsWith('SIG')) owner.kill(ending as NodeJS.Signals);
        await untilDead(owner);
        await sleep(survivalMs);
        expect(survivorsIn(runDirectory), ending).toEqual([]);
        expect(readdirSync(runDirectory), ending).toHaveLength(ending === 'close' ? 0 : 1);
      }),
    );
  });

  it(
    'is made good at the next start when the guardian was killed with it, and spares others',
    { timeout: rounds * 10_000 },
    async () => {
      const runDirectory = aDirectory();
      const other = await anOwner(runDirectory, { until: 'started' });
      const [otherMark = ''] = marksIn(runDirectory);
      const ofOther = survivorsOf(otherMark).length;
      for (let round = 0; round < Math.ceil(rounds / 5); round += 1) {
        const owner = await anOwner(runDirectory, { until: 'started' });
        const mark = marksIn(runDirectory).find((found) => found !== otherMark) ?? 'none';
        // Stopped, it cannot replace its guardian.
        owner.kill('SIGSTOP');
        for (const guardian of guardiansOf(mark)) process.kill(guardian, 'SIGKILL');
        owner.kill('SIGKILL');
        await untilDead(owner);
        expect(survivorsOf(mark).length).toBeGreaterThanOrEqual(4);
        expect(await sweepLeftovers(runDirectory, silentLog)).toBeGreaterThanOrEqual(4);
        expect(survivorsOf(mark)).toEqual([]);
        expect(marksIn(runDirectory)).toEqual([otherMark]);
      }
      expect(other.exitCode).toBe(null);
      expect(survivorsOf(otherMark).length).toBeGreaterThanOrEqual(ofOther - 1);
      other.kill('SIGKILL');
      await sleep(survivalMs);
      expect(survivorsOf(otherMark)).toEqual([]);
    },
  );

  it('is guarded again after its guardian was killed', async () => {
    const runDirectory = aDirectory();
    const owner = await anOwner(runDirectory, { until: 'started' });
    const [mark = ''] = marksIn(runDirectory);
    const [first = 0] = guardiansOf(mark);
    process.kill(first, 'SIGKILL');
    await expect.poll(() => guardiansOf(mark).filter((pid) => pid !== first)).toHaveLength(1);
    owner.kill('SIGKILL');
    await sleep(survivalMs);
    expect(survivorsOf(mark)).toEqual([]);
  });

  it('reaches through an owner among its programs to the programs of that one', async () => {
    const runDirectory = aDirectory();
    const outer = await anOwner(runDirectory, { ending: 'nest', until: 'started' });
    const marks = await vi.waitUntil(() => {
      const found = marksIn(runDirectory);
      return found.length === 2 && found.every((mark) => survivorsOf(mark).length >= 4) && found;
    });
    outer.kill('SIGKILL');
    await sleep(survivalMs);
    expect(marks.flatMap(survivorsOf)).toEqual([]);
  });
});
