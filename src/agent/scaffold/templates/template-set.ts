import type { ScaffoldKind } from '../scaffold-kind.ts';
import type { ScaffoldNames } from '../scaffold-names.ts';

/** One language's templates. What is left to be written fails loudly when it runs. */
export interface TemplateSet {
  readonly code: Readonly<Record<ScaffoldKind, (names: ScaffoldNames) => string>>;
  /** A skeleton of tests for functions of the given names; null where the language has no tests. */
  readonly tests: ((functions: readonly string[]) => string) | null;
  readonly testFramework: string;
}
