import { expect, it } from 'vitest';
import { z } from 'zod';
import { secretPatterns } from './secret-patterns.ts';

const schema = z.array(
  z.strictObject({
    id: z.string().regex(/^[a-z0-9-]+$/),
    title: z.string().min(1),
    critical: z.literal(true).optional(),
    hint: z.string().min(1),
    pattern: z.string().min(1),
    minEntropy: z.number().optional(),
    hide: z.string().min(1).optional(),
  }),
);

it('every secret pattern is complete and compiles', () => {
  for (const { id, pattern, hide = '' } of schema.parse(secretPatterns)) {
    expect(() => [new RegExp(pattern.replace(/^\(\?i\)/, '')), new RegExp(hide)], id).not.toThrow();
  }
});

it('patterns that ignore case have a hint in lower case', () => {
  const wrong = secretPatterns.filter(
    ({ pattern, hint }) => pattern.startsWith('(?i)') && hint !== hint.toLowerCase(),
  );
  expect(wrong).toEqual([]);
});
