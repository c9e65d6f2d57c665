import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { openArtifacts } from '../src/artifacts/index.ts';
import type { Artifacts } from '../src/contract/artifact/index.ts';
import { localCaller } from '../src/contract/caller/index.ts';
import { silentLog, systemClock } from '../src/kernel/index.ts';
import { aDirectory } from '../testkit/observe/a-directory.ts';
import { aStore } from '../testkit/store/a-store.ts';
import { contentOf } from './support/artifact-content.ts';
import { isProof, seededRandom } from '../testkit/sample.ts';
import { lastBeforeKilled } from './support/last-before-killed.ts';

const program = fileURLToPath(new URL('support/put-artifacts.ts', import.meta.url));
const manyMore = 1_000_000;

interface Putting {
  readonly home: string;
  readonly run: string;
  readonly count: number;
  /** Releases and collects on the way when it is given. */
  readonly graceMs?: number;
  readonly faultPoint?: string;
}

function startPutting({ home, run, count, graceMs, faultPoint }: Putting): ChildProcess {
  const args = [program, home, run, String(count), graceMs === undefined ? '' : String(graceMs)];
  return spawn(process.execPath, [...args, ...(faultPoint === undefined ? [] : [faultPoint])], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** How many puts were acknowledged until the process was killed, or killed itself. */
function putUntilKilled(putting: Putting, killAfter: number): Promise<number> {
  return lastBeforeKilled(startPutting(putting), killAfter);
}

function artifactsIn(home: string): Artifacts {
  return openArtifacts({
    directory: join(home, 'artifacts'),
    index: aStore({ home }).artifactIndex,
    clock: systemClock,
    log: silentLog,
  });
}

/** The numbers of what a run made; throws when one of them cannot be read or is not what was put. */
async function readRun(artifacts: Artifacts, runId: string): Promise<ReadonlySet<number>> {
  const found = await artifacts.list(localCaller, { runId, limit: 1_000 });
  const numbers = new Set<number>();
  for (const { id } of found) {
    const text = Buffer.from(await artifacts.get(localCaller, id)).toString();
    const n = Number.parseInt(text, 10);
    expect(text === contentOf(n)).toBe(true);
    numbers.add(n);
  }
  return numbers;
}

describe('artifacts and kill -9', () => {
  it('keeps what was acknowledged when a process is killed at any moment, and nothing that cannot be read', async () => {
    const home = aDirectory();
    const random = seededRandom(11);
    for (let round = 1; round <= (isProof ? 40 : 5); round += 1) {
      const run = `r${round}`;
      const killAfter = 1 + Math.floor(random() * 60);
      const putting = { home, run, count: manyMore };
      const acknowledged = await putUntilKilled(putting, killAfter);
      const artifacts = artifactsIn(home);
      const kept = new Set([
        ...(await readRun(artifacts, run)),
        ...(await readRun(artifacts, `${run}-released`)),
      ]);
      for (let n = 1; n <= acknowledged; n += 1) expect(kept).toContain(n);
      expect(kept.size - acknowledged).toBeLessThanOrEqual(1);
    }
  });

  it.each([
    'artifact.before-write',
    'artifact.before-rename',
    'artifact.after-rename',
    'artifact.before-note',
    'artifact.after-note',
  ])('leaves nothing that cannot be read when it dies at %s', async (faultPoint) => {
    const home = aDirectory();
    const putting = { home, run: 'r', count: 3, faultPoint };
    expect(await putUntilKilled(putting, manyMore)).toBe(0);
    const artifacts = artifactsIn(home);
    const kept = await readRun(artifacts, 'r');
    expect([...kept]).toEqual(faultPoint === 'artifact.after-note' ? [1] : []);
  });

  it('loses nothing that is wanted when it dies while it collects', async () => {
    const home = aDirectory();
    const faultPoint = 'artifact.before-remove';
    const putting = { home, run: 'r', count: 20, graceMs: -1_000, faultPoint };
    expect(await putUntilKilled(putting, manyMore)).toBe(10);
    expect(await readRun(artifactsIn(home), 'r')).toEqual(new Set([1, 3, 5, 7, 9]));
  });

  it('removes nothing that another process is adding, though nobody is given any grace', async () => {
    const home = aDirectory();
    const count = isProof ? 400 : 60;
    const runs = ['a', 'b', 'c'];
    const ends = await Promise.all(
      runs.map(async (run) => {
        const child = startPutting({ home, run, count, graceMs: -1_000 });
        child.stdout?.resume();
        const [code] = await once(child, 'close');
        return code;
      }),
    );
    expect(ends).toEqual([0, 0, 0]);
    const odd = Array.from({ length: count / 2 }, (_, n) => 2 * n + 1);
    const artifacts = artifactsIn(home);
    for (const run of runs) expect(await readRun(artifacts, run)).toEqual(new Set(odd));
  });
});
