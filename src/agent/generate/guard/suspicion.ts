/** Whose text is looked at: what code may do, tests may not, and the other way round. */
export type Role = 'code' | 'tests';

/** Something that could change, end or notice the run that is to judge it. */
export interface Suspicion {
  readonly line: number;
  /** `os._exit`, `a change of assert.equal`. */
  readonly what: string;
}

/** What a text is, and what the other file is called. */
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
