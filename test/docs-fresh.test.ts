import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { generatedDocs } from '../scripts/generated-docs.ts';

const docs = await generatedDocs();

describe('the generated pages', () => {
  it.each(docs.map(({ path, text }) => ({ path, text })))(
    '$path is what the sources make of it ("npm run docs" writes it)',
    async ({ path, text }) => {
      expect(await readFile(new URL(`../${path}`, import.meta.url), 'utf8')).toBe(text);
    },
  );
});
