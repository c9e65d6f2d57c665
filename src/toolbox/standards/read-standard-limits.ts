import type { Log } from '../../kernel/index.ts';
import { limitsOf, type StandardLimits } from './coding-standards.ts';
import { StandardsLibrary } from './standards-library.ts';

/** Gives the limits in force for a language now, or `undefined` for a language without rules. */
export type StandardLimitsReader = (language: string) => Promise<StandardLimits | undefined>;

/** Reads the limits of the team's standards, the project's overrides included. */
export function createStandardLimitsReader(options: {
  readonly project: string | undefined;
  readonly log: Log;
}): StandardLimitsReader {
  const library = new StandardsLibrary(options);
  return async (language) => {
    const rules = (await library.current()).codingStandards[language];
    return rules && limitsOf(rules);
  };
}
