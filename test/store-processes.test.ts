import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { localCaller } from '../src/contract/caller/index.ts';
import { hexId } from '../testkit/observe/a-span.ts';
import type { Store } from '../src/store/index.ts';
import { aDirectory } from '../testkit/observe/a-directory.ts';
import { aStore } from '../testkit/store/a-store.ts';
import { isProof, seededRandom } from '../testkit/sample.ts';
import { lastBeforeKilled } from './support/last-before-killed.ts';

const program = fileURLToPath(new URL('support/write-spans.ts', import.meta.url));

function startWriter(home: string, writer: number, count: number): ChildProcess {
  const args = [program, home, String(writer), String(count)];
  return spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
}

async function spansOf(store: Store, writer: number): Promise<Set<string>> {
  const match = await store.traces.find(localCaller, hexId(writer, 32));
  return new Set(match.kind === 'found' ? match.spans.map((span) => span.spanId) : []);
}

describe('one data directory and several processes', () => {
  it('keeps every span of four processes that create it and write to it at the same time', async () => {
    const home = aDirectory();
    const count = isProof ? 5_000 : 500;
    const writers = [1, 2, 3, 4];
    const ends = await Promise.all(
      writers.map(async (writer) => {
        const child = startWriter(home, writer, count);
        let complaint = '';
        child.stderr?.on('data', (data: Buffer) => (complaint += data.toString()));
        child.stdout?.resume();
        const [code] = await once(child, 'close');
        return { code, complaint };
      }),
    );
    expect(ends).toEqual(writers.map(() => ({ code: 0, complaint: '' })));
    const store = aStore({ home });
    for (const writer of writers) expect((await spansOf(store, writer)).size).toBe(count);
    expect(store.checkIntegrity()).toEqual({ ok: true, findings: [] });
  });

  it('stays intact and keeps what was acknowledged when a writer is killed at any moment', async () => {
    const home = aDirectory();
    const random = seededRandom(7);
    for (let round = 1; round <= (isProof ? 40 : 6); round += 1) {
      const killAfter = 1 + Math.floor(random() * 300);
      const writer = startWriter(home, round, 1_000_000);
      const acknowledged = await lastBeforeKilled(writer, killAfter);
      expect(acknowledged).toBeGreaterThanOrEqual(killAfter);
      const store = aStore({ home });
      const kept = await spansOf(store, round);
      for (let n = 1; n <= acknowledged; n += 1) expect(kept).toContain(hexId(n, 16));
      // The one that was being written may have got in before the kill; more cannot.
      expect(kept.size - acknowledged).toBeLessThanOrEqual(1);
      expect(store.checkIntegrity()).toEqual({ ok: true, findings: [] });
    }
  });
});
