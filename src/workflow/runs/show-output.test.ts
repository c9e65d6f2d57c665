import { describe, expect, it } from 'vitest';
import { localCaller } from '../../contract/caller/index.ts';
import { createOutputShower, type OutputShower } from './describe-run.ts';

const mediaType = 'application/json';

/** A shower over artifacts by id; those with other names are gone. */
function aShower(contents: Readonly<Record<string, unknown>>): OutputShower & { reads: string[] } {
  const reads: string[] = [];
  const shower = createOutputShower({
    async get(_caller, id) {
      return Buffer.from(JSON.stringify(contents[id]));
    },
    async page(_caller, id, { offset, maxBytes }) {
      reads.push(id);
      const text = JSON.stringify(contents[id]);
      if (text === undefined) throw new Error('gone');
      const page = { id, bytes: text.length, mediaType, offset, nextOffset: null };
      return id === 'binary' ? page : { ...page, text: text.slice(0, maxBytes) };
    },
  });
  return { ...shower, reads };
}

const small = { artifact: { id: 'small', bytes: 100, mediaType }, path: ['word'] };
const huge = { artifact: { id: 'huge', bytes: 50_000_000, mediaType }, path: [] };

describe('what a step gave', () => {
  it('is shown as it is, or by its name and beginning, which is read once', async () => {
    const shower = aShower({ huge: 'x'.repeat(5_000) });
    expect(await shower.show(localCaller, { value: [1] })).toEqual({ output: [1] });
    const shown = await shower.show(localCaller, huge);
    expect(shown.stored).toMatchObject({ id: 'huge', bytes: 50_000_000, mediaType });
    expect(shown.stored?.preview).toHaveLength(2_048);
    await shower.show(localCaller, huge);
    expect(shower.reads).toEqual(['huge']);
  });

  it('is named also where it cannot be read, or is no text', async () => {
    const shower = aShower({ binary: 1 });
    expect((await shower.show(localCaller, huge)).stored?.preview).toBe('(cannot be read)');
    const binary = { artifact: { id: 'binary', bytes: 1, mediaType }, path: [] };
    expect((await shower.show(localCaller, binary)).stored?.preview).toBe('(not text)');
  });
});

describe('what a run gave', () => {
  it('has the parts from artifacts in place, but for those that are too big', async () => {
    const shower = aShower({ small: { word: 'hi' }, huge: ['big'] });
    const value = { a: null, b: { c: [null, 2] }, d: 'kept' };
    const holes = [
      { at: ['a'], parts: ['say ', small] },
      { at: ['b', 'c', 0], parts: [huge] },
    ];
    const filled = await shower.complete(localCaller, { value, holes });
    expect(filled).toEqual({
      a: 'say hi',
      b: { c: [{ stored: [{ ...huge.artifact, preview: '["big"]' }] }, 2] },
      d: 'kept',
    });
    expect(value.a).toBeNull();
    const whole = await shower.complete(localCaller, {
      value: null,
      holes: [{ at: [], parts: [huge] }],
    });
    expect(whole).toEqual({ stored: [{ ...huge.artifact, preview: '["big"]' }] });
    expect(await shower.complete(localCaller, { value: 5 })).toBe(5);
  });
});
