import { format, inspect } from 'node:util';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { Secret, secretPatterns } from './secret.ts';

it('shows itself only to who asks', () => {
  const secret = new Secret('sk-planted');
  const shown = [
    String(secret),
    JSON.stringify({ secret }),
    inspect({ deep: [secret] }, { showHidden: true, depth: null }),
    format('%s %o %O', secret, secret, secret),
    String(Object.values(secret)),
  ].join('\n');
  expect(shown).not.toContain('sk-planted');
  expect(shown).toContain('[hidden]');
  expect(secret.reveal()).toBe('sk-planted');
});

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
