import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createGgufModel, type TextModel } from '../src/models/index.ts';
import { tinyGguf } from './support/models/tiny-gguf.ts';
import { isCi } from '../testkit/sample.ts';

const addonFile = resolve('test/llama/node_modules/node-llama-cpp/dist/index.js');
const hasBinary = process.platform === 'linux' && process.arch === 'x64';
const canRun = hasBinary && (existsSync(addonFile) || isCi);
const addon = pathToFileURL(addonFile).href;
const maxLetters = 12;
const schema = z.strictObject({
  verdict: z.enum(['yes', 'no']),
  // A letter beyond the first 65,536 counts as one in the grammar and as two in JavaScript.
  reason: z.string().max(2 * maxLetters),
  isSure: z.boolean(),
});
const jsonSchema = z.toJSONSchema(schema.extend({ reason: z.string().max(maxLetters) }));

// The binary is for Linux on x64; `make test` installs it, `npm test` alone does without.
describe.skipIf(!canRun)('a GGUF file in this process', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tutti-gguf-'));
  const path = join(folder, 'tiny.gguf');
  let model: TextModel;

  beforeAll(() => {
    writeFileSync(path, tinyGguf(7));
    model = createGgufModel({ name: 'tiny', path, defaultTemperature: 0.8, addon });
  });

  afterAll(async () => {
    await model.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('answers with JSON that fits the schema, though its weights are random', async () => {
    const json = { name: 'verdict', schema: jsonSchema };
    for (const question of ['Is it good?', 'Say something else.', '']) {
      const messages = [
        { role: 'system', content: 'Judge.' },
        { role: 'user', content: 'Before.' },
        { role: 'assistant', content: 'I see.' },
        { role: 'user', content: question },
      ] as const;
      const { signal } = new AbortController();
      const answer = await model.ask({ messages, json, maxOutputTokens: 300 }, { signal });
      schema.parse(JSON.parse(answer.text));
      expect(answer.finish).toBe('stop');
      expect(answer.usage?.outputTokens).toBeGreaterThan(10);
    }
  });

  it('streams pieces that make up the answer, and stops at the limit of tokens', async () => {
    const pieces: string[] = [];
    const { signal } = new AbortController();
    const messages = [{ role: 'user', content: 'Talk.' }] as const;
    const answer = await model.ask(
      { messages, maxOutputTokens: 20 },
      { signal, onText: (piece) => pieces.push(piece) },
    );
    expect(pieces.join('').trim()).toBe(answer.text.trim());
    expect(['length', 'stop']).toContain(answer.finish);
    expect(answer.usage?.outputTokens).toBeLessThanOrEqual(21);
  });

  it('ends when it is told to, and answers the next one', async () => {
    const stop = new AbortController();
    const messages = [{ role: 'user', content: 'Talk.' }] as const;
    const long = model.ask(
      { messages, maxOutputTokens: 1_500 },
      { signal: stop.signal, onText: () => stop.abort(new Error('enough')) },
    );
    const next = model.ask(
      { messages, maxOutputTokens: 3 },
      { signal: new AbortController().signal },
    );
    await expect(long).rejects.toThrow('enough');
    await expect(next).resolves.toMatchObject({ finish: expect.any(String) });
  });

  it('says what is wrong with a file that is none, and when the package is missing', async () => {
    const broken = join(folder, 'broken.gguf');
    const { signal } = new AbortController();
    const request = { messages: [{ role: 'user', content: 'x' }] } as const;
    const bad = createGgufModel({ name: 'bad', path: broken, defaultTemperature: 0, addon });
    for (const content of [tinyGguf(1).subarray(0, 5_000), 'text', 'GGUF'.repeat(9)]) {
      writeFileSync(broken, content);
      const asked = bad.ask(request, { signal });
      await expect(asked).rejects.toMatchObject({ code: 'models.gguf_failed' });
    }
    const nowhere = pathToFileURL(join(folder, 'nothing.js')).href;
    const without = createGgufModel({ name: 'x', path, defaultTemperature: 0, addon: nowhere });
    await expect(without.ask(request, { signal })).rejects.toMatchObject({
      code: 'models.addon_missing',
      message: expect.stringContaining('npm install -g node-llama-cpp'),
    });
    expect((await without.probe(signal)).problem).toContain('node-llama-cpp');
    expect((await model.probe(signal)).problem).toBeNull();
  });
});
