import { parse } from 'yaml';
import { z } from 'zod';
import { readProgram } from '../language.ts';

/** Code and tests have different rules. */
export type Role = 'code' | 'tests';

/** Something that could change, end or detect the test run. */
export interface Suspicion {
  readonly line: number;
  /** `os._exit`, `a change of assert.equal`. */
  readonly what: string;
}

export interface Guarded {
  readonly role: Role;
  /** Names of the files that are run, which neither may read. */
  readonly fileNames: readonly string[];
}

const maxShown = 3;

export function describeSuspicions(role: Role, found: readonly Suspicion[]): string[] {
  const owner = role === 'code' ? 'The code uses' : 'The tests use';
  return found
    .slice(0, maxShown)
    .map(
      ({ line, what }) =>
        `${owner} ${what} (line ${line}), by which a test run can be ended, changed or noticed: what it says is then no proof.`,
    );
}

export const nameSet = z.array(z.string()).transform((list): ReadonlySet<string> => new Set(list));
export const pattern = z
  .strictObject({ pattern: z.string(), flags: z.string().default('') })
  .transform((given) => new RegExp(given.pattern, given.flags));

/** The rules of `languages/<language>/guard.yaml`. */
export function readRules<Shape extends z.core.$ZodLooseShape>(
  language: 'python' | 'javascript' | 'go' | 'rust' | 'java',
  shape: Shape,
): z.output<z.ZodObject<Shape>> {
  return z.strictObject(shape).parse(parse(readProgram(`${language}/guard.yaml`)));
}
