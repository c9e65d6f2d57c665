import { appendFile, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLog } from '../kernel/index.ts';
import { createCachedEmbedder } from './cached-embedder.ts';
import { createLocalEmbedder, type Embedder } from './local-embedder.ts';

const { signal } = new AbortController();

function product(a: Float32Array | undefined, b: Float32Array | undefined): number {
  return (a ?? new Float32Array()).reduce((sum, number, at) => sum + number * (b?.[at] ?? 0), 0);
}

describe('the local embedder', () => {
  const embedder = createLocalEmbedder();
  afterAll(() => embedder.close());

  it('gives vectors of length 1 that are closer for texts of like meaning', async () => {
    const texts = ['delete a folder', 'remove a directory', 'the weather in Paris'];
    const [a, b, c] = await embedder.embed(texts, signal);
    expect(a).toHaveLength(embedder.dimensions);
    expect(product(a, a)).toBeCloseTo(1, 2);
    expect(product(a, b)).toBeGreaterThan(product(a, c) + 0.3);
  });

  it('leaves the event loop free while it works', async () => {
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    await embedder.embed(['word '.repeat(200), 'word '.repeat(200)], signal);
    delay.disable();
    // Two such texts take most of a second; a loop that waited for one would show it.
    expect(delay.percentile(90) / 1e6).toBeLessThan(100);
  });

  it('takes a single text before many that were asked for earlier', async () => {
    const order: string[] = [];
    const many = embedder.embed(Array(6).fill('some text'), signal).then(() => order.push('many'));
    const one = embedder.embed(['a query'], signal).then(() => order.push('one'));
    await Promise.all([many, one]);
    expect(order).toEqual(['one', 'many']);
  });

  it('drops texts nobody waits for any more', async () => {
    const cancel = new AbortController();
    const dropped = embedder.embed(['a', 'b', 'c'], cancel.signal);
    cancel.abort(new Error('enough'));
    await expect(dropped).rejects.toThrow('enough');
    await expect(embedder.embed(['x'], cancel.signal)).rejects.toThrow('enough');
  });
});

describe('the limits of the local embedder', () => {
  it('refuses more texts than may wait', async () => {
    const small = createLocalEmbedder({ maxQueuedTexts: 2 });
    await expect(small.embed(['a', 'b', 'c'], signal)).rejects.toMatchObject({
      code: 'models.embedding_failed',
    });
  });

  it('tells who waits when it is closed, and works again afterwards', async () => {
    const embedder = createLocalEmbedder({ idleStopMs: 1 });
    const waiting = embedder.embed(['a', 'b'], signal);
    const [refused] = await Promise.all([
      waiting.catch((error: unknown) => error),
      embedder.close(),
    ]);
    expect(refused).toMatchObject({ code: 'models.embedding_failed' });
    expect(await embedder.embed(['again'], signal)).toHaveLength(1);
    await embedder.close();
  });

  it('tells who waits when its thread cannot run', async () => {
    const broken = createLocalEmbedder({ entry: new URL('missing.ts', import.meta.url) });
    await expect(broken.embed(['a'], signal)).rejects.toMatchObject({
      code: 'models.embedding_failed',
    });
  });
});

describe('the cached embedder', () => {
  let folder: string;
  beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'tutti-vectors-'))));
  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** Vectors that tell texts apart, and how many texts were embedded. */
  function aCache(path: string, maxVectors?: number): { embedder: Embedder; made: string[] } {
    const made: string[] = [];
    const inner: Embedder = {
      dimensions: 2,
      embed: async (texts) => {
        made.push(...texts);
        return texts.map((text) => Float32Array.of(text.length, 1));
      },
      close: async () => {},
    };
    const limit = maxVectors === undefined ? {} : { maxVectors };
    return { embedder: createCachedEmbedder(inner, { path, log: silentLog, ...limit }), made };
  }

  it('embeds a text once, in this process and in later ones', async () => {
    const path = join(folder, 'deep', 'once');
    const first = aCache(path);
    const texts = Array.from({ length: 40 }, (_, at) => 'x'.repeat(at));
    const vectors = await first.embedder.embed(texts, signal);
    await first.embedder.embed(texts, signal);
    expect(first.made).toHaveLength(40);
    const second = aCache(path);
    expect(await second.embedder.embed(['new', ...texts], signal)).toEqual([
      Float32Array.of(3, 1),
      ...vectors,
    ]);
    expect(second.made).toEqual(['new']);
    await second.embedder.close();
  });

  it('keeps what is sound of a damaged file and embeds the rest again', async () => {
    const path = join(folder, 'damaged');
    await aCache(path).embedder.embed(['a', 'bb'], signal);
    const bytes = await readFile(path);
    await writeFile(path, bytes.fill(0, bytes.length - 3));
    const { embedder, made } = aCache(path);
    await embedder.embed(['a', 'bb'], signal);
    expect(made).toEqual(['bb']);
    const again = aCache(path);
    await again.embedder.embed(['a', 'bb'], signal);
    expect(again.made).toEqual([]);
  });

  it('reads nothing from a file that is larger than it may be or holds something else', async () => {
    const path = join(folder, 'foreign');
    await writeFile(path, 'no vectors at all, but long enough to be some');
    const { embedder, made } = aCache(path, 4);
    await embedder.embed(['a'], signal);
    expect(made).toEqual(['a']);
    await appendFile(path, Buffer.alloc(1_000));
    const next = aCache(path, 4);
    await next.embedder.embed(['a'], signal);
    expect(next.made).toEqual(['a']);
  });

  it('drops the oldest when there are too many', async () => {
    const path = join(folder, 'full');
    for (let at = 0; at < 30; at += 1) await aCache(path, 8).embedder.embed([`text ${at}`], signal);
    expect((await stat(path)).size).toBeLessThanOrEqual(8 * 24);
    const { embedder, made } = aCache(path, 8);
    await embedder.embed(['text 29', 'text 0'], signal);
    expect(made).toEqual(['text 0']);
  });

  it('goes on without a file it cannot write', async () => {
    const path = join(folder, 'full', 'not-a-folder');
    expect(await aCache(path).embedder.embed(['a'], signal)).toHaveLength(1);
  });
});
