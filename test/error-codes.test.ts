import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { errorCodes, type ErrorCodeEntry } from '../src/contract/error/index.ts';

/** Codes declared by error classes, `readonly code = 'room.what_happened'`, and of problems of plans. */
function declaredCodes(): string[] {
  const files = readdirSync('src', { recursive: true, withFileTypes: true })
    .filter((entry) => entry.name.endsWith('.ts') && !entry.name.endsWith('.test.ts'))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));
  return files.flatMap((text) =>
    [
      ...text.matchAll(/readonly code(?::[^=]+)? = '([a-z_]+\.[a-z_]+)'/g),
      // The failures of models are a table.
      ...text.matchAll(/^ {2}'(models\.[a-z_]+)': \{/gm),
      // Refusals of calls are a table by status.
      ...text.matchAll(/^ {2}\d{3}: '([a-z_]+\.[a-z_]+)',$/gm),
      // Problems of a plan are data, not thrown: all of them are reported at once.
      ...text.matchAll(/\bcode: '(plan\.[a-z_]+)'/g),
    ].map((match) => match[1] ?? ''),
  );
}

it('lists every error code a class declares, and no other', () => {
  const declared = [...new Set([...declaredCodes(), 'internal.bug'])].sort();
  expect(declared.length).toBeGreaterThan(15);
  expect(Object.keys(errorCodes).sort()).toEqual(declared);
});

it('has only entries of the declared shape', () => {
  const shape = z.strictObject({
    meaning: z.string(),
    remedy: z.string(),
    isHint: z.literal(true).optional(),
    exitCode: z.literal([1, 2, 3, 4, 130]),
    httpStatus: z.int().min(400).max(599),
  });
  const wrong = Object.entries(errorCodes).filter(([, entry]) => !shape.safeParse(entry).success);
  expect(wrong).toEqual([]);
});

it('gives every code a meaning and a remedy that are sentences', () => {
  for (const [code, entry] of Object.entries(errorCodes)) {
    expect(entry.meaning, code).toMatch(/^[A-Z`].{10,}\.$/);
    expect(entry.remedy, code).toMatch(/^[A-Z`].{8,}\.$/);
  }
});

it('prints no remedy below a message that only points back to the message', () => {
  const entries: readonly [string, ErrorCodeEntry][] = Object.entries(errorCodes);
  const hints = entries.filter(([, { isHint }]) => isHint === true);
  expect(hints.length).toBeGreaterThan(20);
  for (const [code, { remedy }] of hints) {
    expect(remedy, code).not.toMatch(/\bmessage\b|\bCOMMAND\b|\bFILE\b/);
  }
});
