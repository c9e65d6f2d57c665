import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { localCaller } from '../contract/caller/index.ts';
import { ActiveSpans, createTracing, type SpanRecord, type Tracing } from '../observe/index.ts';
import { aDirectory } from '../../testkit/observe/a-directory.ts';
import { aSpan, hexId } from '../../testkit/observe/a-span.ts';
import { recordedLog, type LoggedLine } from '../../testkit/observe/recorded-log.ts';
import type { Store } from './index.ts';
import { aStore } from '../../testkit/store/a-store.ts';

/** Far above one attempt, far below what other commands wait for a lock. */
const maxStallMs = 500;
const pruneBatches = 5;
const spansPerBatch = 50;

function aTracing(store: Store): { tracing: Tracing; lines: LoggedLine[] } {
  const lines: LoggedLine[] = [];
  const activeSpans = new ActiveSpans();
  const tracing = createTracing({ activeSpans, log: recordedLog(lines), store: store.traces });
  return { tracing, lines };
}

const callOnce = (tracing: Tracing): Promise<void> =>
  tracing.traced({ name: 'work', kind: 'internal' }, async () => {});

/** One that retention keeps. */
const aYoungSpan = (): SpanRecord => aSpan({ startedAtUs: Date.now() * 1000 });

/** Takes the write lock as another program would; gives what releases it. */
function lock(path: string, kind: 'IMMEDIATE' | 'EXCLUSIVE' = 'IMMEDIATE'): () => void {
  const other = new DatabaseSync(path);
  onTestFinished(() => {
    if (other.isOpen) other.close();
  });
  other.exec(`BEGIN ${kind}`);
  return () => other.close();
}

/** How long `work` kept everything else in this process from running. */
async function stallOf(work: () => Promise<void>): Promise<number> {
  let longestMs = 0;
  let last = performance.now();
  const look = (): void => {
    const now = performance.now();
    longestMs = Math.max(longestMs, now - last);
    last = now;
  };
  const timer = setInterval(look, 1);
  await work();
  clearInterval(timer);
  look();
  return longestMs;
}

describe('recording spans while another program holds the database', () => {
  it('blocks nobody for long, and keeps the spans for when the lock is gone', async () => {
    const store = aStore();
    await store.traces.record([aYoungSpan()]);
    const { tracing, lines } = aTracing(store);
    const release = lock(store.path);
    await callOnce(tracing);
    expect(await stallOf(() => tracing.flush())).toBeLessThan(maxStallMs);
    expect(await store.traces.recent(localCaller, 5)).toHaveLength(1);
    release();
    await tracing.flush();
    expect(await store.traces.recent(localCaller, 5)).toHaveLength(2);
    expect(lines).toEqual([]);
  });

  it('blocks nobody for long either when the database is yet to be created', async () => {
    const home = aDirectory();
    const release = lock(join(home, 'tutti.db'), 'EXCLUSIVE');
    const store = aStore({ home });
    const { tracing } = aTracing(store);
    await callOnce(tracing);
    expect(await stallOf(() => tracing.flush())).toBeLessThan(maxStallMs);
    release();
    await tracing.flush();
    expect(await store.traces.recent(localCaller, 5)).toHaveLength(1);
  });

  it('tries again by itself until a process that holds the lock is gone', async () => {
    const store = aStore();
    await store.traces.record([aYoungSpan()]);
    const program = `const { DatabaseSync } = require('node:sqlite');
      new DatabaseSync(process.argv[1]).exec('BEGIN IMMEDIATE');
      process.stdout.write('locked');
      process.stdin.resume();`;
    const holder = spawn(process.execPath, ['-e', program, store.path], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    onTestFinished(() => void holder.kill());
    await once(holder.stdout, 'data');
    const { tracing, lines } = aTracing(store);
    await callOnce(tracing);
    await tracing.flush();
    const gone = once(holder, 'exit');
    holder.stdin.end();
    await gone;
    await expect
      .poll(() => store.traces.recent(localCaller, 5), { timeout: 5_000 })
      .toHaveLength(2);
    expect(lines).toEqual([]);
  });

  it('gives up when it has to end, in bounded time, and says how many spans are lost', async () => {
    const store = aStore();
    await store.traces.record([aYoungSpan()]);
    const { tracing, lines } = aTracing(store);
    lock(store.path);
    await callOnce(tracing);
    expect(await stallOf(() => tracing.close())).toBeLessThan(maxStallMs);
    expect(lines).toMatchObject([
      {
        level: 'warn',
        message: 'spans dropped',
        fields: { target: 'store', count: 1, reason: { code: 'store.busy' } },
      },
    ]);
  });
});

describe('removing old spans', () => {
  it('lets others run between one batch and the next', async () => {
    const store = aStore();
    for (let n = 0; n < pruneBatches * spansPerBatch; n += 1) {
      await store.traces.record([aSpan({ spanId: hexId(n + 1, 16), startedAtUs: 1 })]);
    }
    let turns = 0;
    let isOver = false;
    const takeTurn = (): void => {
      turns += 1;
      if (!isOver) setImmediate(takeTurn);
    };
    setImmediate(takeTurn);
    const removed = await store.traces.prune({ beforeMs: 1_000, maxSpans: 1 });
    isOver = true;
    expect(removed).toBe(pruneBatches * spansPerBatch);
    expect(turns).toBeGreaterThanOrEqual(pruneBatches - 1);
  });
});
