import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { localCaller } from '../contract/caller/index.ts';
import { aSetup, aText } from '../../testkit/artifacts/an-artifact-room.ts';
import { MemoryArtifactIndex } from '../../testkit/artifacts/memory-artifact-index.ts';

describe('a page', () => {
  const text = 'aé漢😀'.repeat(50);

  async function pagesOf(content: string | Uint8Array, maxBytes: number, mediaType = 'text/plain') {
    const { artifacts } = aSetup({ index: new MemoryArtifactIndex() });
    const { id } = await artifacts.put(localCaller, { ...aText(content), mediaType });
    const pages = [];
    for (let offset: number | null = 0; offset !== null;) {
      const page = await artifacts.page(localCaller, id, { offset, maxBytes });
      expect(page.offset).toBe(offset);
      pages.push(page);
      offset = page.nextOffset;
    }
    return pages;
  }

  it.each([1, 2, 3, 4, 5, 7, 100, 10_000])(
    'of %i bytes is cut between characters, and all pages together are the text',
    async (maxBytes) => {
      const pages = await pagesOf(text, maxBytes);
      expect(pages.map((page) => page.text).join('')).toBe(text);
      for (const page of pages) {
        expect(Buffer.byteLength(page.text ?? '')).toBeLessThanOrEqual(Math.max(maxBytes, 4));
      }
    },
  );

  it('that begins within a character gives that character whole', async () => {
    const { artifacts } = aSetup();
    const { id } = await artifacts.put(localCaller, aText('a😀b'));
    for (const offset of [1, 2, 3, 4]) {
      expect(await artifacts.page(localCaller, id, { offset, maxBytes: 4 })).toMatchObject({
        offset: 1,
        text: '😀',
        nextOffset: 5,
      });
    }
    const beyond = await artifacts.page(localCaller, id, { offset: 1_000, maxBytes: 4 });
    expect(beyond).toMatchObject({ offset: 6, text: '', nextOffset: null });
  });

  it.each([
    ['bytes that are no text', new Uint8Array([0xff, 0xfe, 0, 1, 2, 3, 4]), 'text/plain'],
    ['half a character at the end', new Uint8Array([0x61, 0xf0, 0x9f]), 'application/json'],
    ['a media type that is no text', Buffer.from('plain text'), 'application/octet-stream'],
  ])('of %s is base64 that can be joined', async (_what, bytes, mediaType) => {
    const pages = await pagesOf(bytes, 4, mediaType);
    const joined = Buffer.from(pages.map((page) => page.base64).join(''), 'base64');
    expect(joined.equals(bytes)).toBe(true);
  });

  it.each(['application/json', 'text/x-python; charset=utf-8', 'image/svg+xml'])(
    'of %s is text',
    async (mediaType) => {
      expect(await pagesOf('{}', 10, mediaType)).toMatchObject([{ text: '{}', mediaType }]);
    },
  );

  it('is never larger than the limit', async () => {
    const { artifacts } = aSetup({ limits: { maxPageBytes: 3 } });
    const { id } = await artifacts.put(localCaller, aText('hello'));
    const page = await artifacts.page(localCaller, id, { offset: 0, maxBytes: 1_000 });
    expect(page).toMatchObject({ text: 'hel', nextOffset: 3, bytes: 5 });
  });

  it('notices damage behind it in a large text it was read from before', async () => {
    const { artifacts, directory } = aSetup({ index: new MemoryArtifactIndex() });
    const { id } = await artifacts.put(localCaller, aText('0123456789'.repeat(500_000)));
    const page = () => artifacts.page(localCaller, id, { offset: 2_500_000, maxBytes: 10 });
    expect((await page()).text).toBe('0123456789');
    expect((await page()).text).toBe('0123456789');
    const file = join(directory, id.slice(7, 9), id.slice(9));
    writeFileSync(file, readFileSync(file).subarray(0, 4_000_000));
    await expect(page()).rejects.toMatchObject({ code: 'artifacts.damaged' });
  });
});
