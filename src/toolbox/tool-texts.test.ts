import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { z } from 'zod';

const textsSchema = z.record(
  z.string(),
  z.strictObject({
    name: z.string().regex(/^[a-z][a-z_]{2,40}$/),
    title: z.string().min(3).max(60),
    description: z.string().min(30).max(900),
    annotations: z
      .strictObject({
        readOnlyHint: z.boolean(),
        destructiveHint: z.boolean().optional(),
        idempotentHint: z.boolean().optional(),
        openWorldHint: z.boolean(),
      })
      .optional(),
    examples: z.array(z.string().min(2).max(120)).min(1).optional(),
  }),
);

it.each(globSync('src/toolbox/*/tools.json'))(
  '%s holds the texts of tools by their names',
  (file) => {
    const texts = textsSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
    for (const [key, { name, examples = [] }] of Object.entries(texts)) {
      expect(name).toBe(key);
      expect(new Set(examples).size).toBe(examples.length);
    }
  },
);

it('leaves no text behind that no tool uses', () => {
  const sources = globSync('src/toolbox/**/*.ts').map((file) => readFileSync(file, 'utf8'));
  for (const file of globSync('src/toolbox/*/tools.json')) {
    for (const name of Object.keys(JSON.parse(readFileSync(file, 'utf8')))) {
      expect(
        sources.some((text) => text.includes(`...texts.${name},`)),
        name,
      ).toBe(true);
    }
  }
});
