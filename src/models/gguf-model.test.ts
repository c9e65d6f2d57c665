import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { aDirectory } from '../../testkit/observe/a-directory.ts';
import { createGgufModel } from './gguf-model.ts';

/** A package that loads every file, has no room for what it would need to answer, and counts what it holds. */
const addonText = `
  export const held = new Set();
  const holding = (what, more) => {
    const one = { ...more, dispose: async () => void held.delete(one) };
    held.add(one);
    return one;
  };
  export const getLlama = async () => holding('llama', {
    loadModel: async () => holding('model', {
      trainContextSize: 4096,
      createContext: async () => { throw new Error('not enough memory'); },
    }),
  });
`;

describe('a GGUF file that there is no room for', () => {
  it('leaves nothing in memory', async () => {
    const folder = aDirectory();
    const addonFile = join(folder, 'addon.mjs');
    writeFileSync(addonFile, addonText);
    const path = join(folder, 'large.gguf');
    const header = Buffer.alloc(24);
    header.write('GGUF');
    header.writeUInt32LE(3, 4);
    writeFileSync(path, header);
    const addon = pathToFileURL(addonFile).href;
    const model = createGgufModel({ name: 'large', path, defaultTemperature: 0, addon });
    const asking = model.ask(
      { messages: [{ role: 'user', content: 'Hi' }] },
      { signal: new AbortController().signal },
    );
    await expect(asking).rejects.toMatchObject({
      code: 'models.gguf_failed',
      message: expect.stringContaining('not enough memory'),
    });
    const { held } = (await import(addon)) as { held: ReadonlySet<unknown> };
    expect(held.size).toBe(0);
    await model.close();
  });
});

describe('a GGUF file that is not there', () => {
  it('is told with what to do', async () => {
    const path = join(aDirectory(), 'gone.gguf');
    const model = createGgufModel({ name: 'gone', path, defaultTemperature: 0 });
    const { problem } = await model.probe(new AbortController().signal);
    expect(problem).toBe(`there is no file ${path}; correct its path in the settings`);
  });
});
