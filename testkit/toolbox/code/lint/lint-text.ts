import { aCodeContext } from '../../code-context.ts';
import {
  chooseStyleGuide,
  profileOf,
  type Language,
} from '../../../../src/toolbox/code/language.ts';
import type { LintFinding, LintSetup } from '../../../../src/toolbox/code/lint/lint-data.ts';
import { lintFile } from '../../../../src/toolbox/code/lint/lint-file.ts';

/** Lints texts of one language with every opt-in rule of its guides switched on. */
export function aLinter(language: Language, path = 'sample') {
  const setup: LintSetup = { ...aLintSetup(language), guide: everyRule(language) };
  return {
    lint: (text: string): Promise<LintFinding[]> => lintFile({ path, text, language }, setup),
    rules: async (text: string): Promise<string[]> =>
      (await lintFile({ path, text, language }, setup)).map(({ rule }) => rule),
  };
}

export function aLintSetup(language: Language, guide?: string): LintSetup {
  return { context: aCodeContext(), guide: chooseStyleGuide(language, guide), lineLength: 100 };
}

function everyRule(language: Language): LintSetup['guide'] {
  const adds = profileOf(language).styleGuides.flatMap((guide) => guide.adds ?? []);
  return { name: 'everything', description: 'every rule', adds };
}
