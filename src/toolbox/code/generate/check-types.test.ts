import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { checkTypes } from './check-types.ts';

const here = [import.meta.dirname];
const { signal } = new AbortController();

describe('types that running erases', () => {
  it('are checked with the compiler of the project', async () => {
    const wrong = 'export const count: number = "three";\n';
    expect(await checkTypes(wrong, here, signal)).toEqual({
      kind: 'checked',
      errors: [
        "solution.ts(1,14): error TS2322: Type 'string' is not assignable to type 'number'.",
      ],
    });
  });

  it('are fine where the code is, and what it imports from elsewhere is not asked for', async () => {
    const right =
      'import other from "not-here";\nexport const count: number = process.argv.length;\nother();\n';
    expect(await checkTypes(right, here, signal)).toEqual({ kind: 'checked', errors: [] });
  });

  it('are said to be unchecked where there is no compiler', async () => {
    expect(await checkTypes('', [tmpdir()], signal)).toEqual({
      kind: 'unavailable',
      why: expect.stringContaining('typescript is not installed in the project'),
    });
  });
});
