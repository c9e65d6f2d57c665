import { AppError } from '../kernel/index.ts';
import { problemText, type SettingProblem } from './problem.ts';

const maxProblemsShown = 20;

/** The settings do not fit the schema. Lists what is wrong in all sources, so that one look cures it. */
export class ConfigError extends AppError {
  readonly code = 'config.invalid';
  readonly problems: readonly SettingProblem[];

  constructor(problems: readonly SettingProblem[]) {
    const shown = problems.slice(0, maxProblemsShown).map((problem) => `  ${problemText(problem)}`);
    const rest = problems.length - shown.length;
    if (rest > 0) shown.push(`  and ${rest} more`);
    super(`The settings were not loaded:\n${shown.join('\n')}`, {
      details: { problems: problems.slice(0, maxProblemsShown).map(flattenProblem) },
    });
    this.problems = problems;
  }
}

function flattenProblem({ source, ...problem }: SettingProblem): Record<string, unknown> {
  return { ...source, ...problem };
}
