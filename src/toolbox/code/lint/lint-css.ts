import type { Config, Warning } from 'stylelint';
import { syntaxError, TooComplexError } from '../errors.ts';
import type { SourceFile } from '../source-files.ts';
import { TextPositions } from '../text-positions.ts';
import {
  findingOf,
  isWanted,
  readLintData,
  type LintFinding,
  type LintSetup,
  type TextEdit,
} from './lint-data.ts';

/** Above this size the rules that compare selectors with each other do not run. */
const maxComparedCharacters = 300_000;

/** How deep blocks and functions may nest before the engine takes minutes. */
const maxDepth = 200;

/** CSS by stylelint, with a configuration of ours: that of the project it runs in is not looked at. */
export async function lintCss(file: SourceFile, setup: LintSetup): Promise<LintFinding[]> {
  if (depthOf(file.text) > maxDepth)
    throw new TooComplexError(file.path, 'it is nested too deeply');
  const { default: stylelint } = await import('stylelint');
  const options = {
    code: file.text,
    config: stylelintConfig(file, setup),
    computeEditInfo: true,
    quietDeprecationWarnings: true,
  };
  const { results } = await stylelint.lint(options).catch((error: unknown) => {
    // Its rules look up properties by name in plain objects: one that is called `constructor` ends them.
    if (!(error instanceof TypeError)) throw error;
    throw new TooComplexError(file.path, `stylelint failed on it: ${error.message}`);
  });
  const [result] = results;
  const warnings = result?.warnings ?? [];
  setup.onSilenced?.(result?._postcssResult?.stylelint.disabledWarnings?.length ?? 0);
  const problem = warnings.find(({ rule }) => rule === 'CssSyntaxError');
  if (problem) throw syntaxError(file, problem, messageOf(problem));
  const positions = new TextPositions(file.text);
  return warnings.flatMap((warning) => toFinding(warning, file, positions));
}

function stylelintConfig(file: SourceFile, { guide }: LintSetup): Config {
  const isLarge = file.text.length > maxComparedCharacters;
  const wanted = readLintData('css').rules.filter(
    ({ name, optIn, quadratic }) => isWanted(guide, name, optIn) && !(isLarge && quadratic),
  );
  return { rules: Object.fromEntries(wanted.map(({ name, options }) => [name, options ?? true])) };
}

function toFinding(warning: Warning, file: SourceFile, positions: TextPositions): LintFinding[] {
  const rule = readLintData('css').byName.get(warning.rule);
  if (!rule) return [];
  const edit = rule.safeFix ? safeEdit(warning, file.text, positions) : undefined;
  const fix = edit && 'refactor_code does this';
  const message = messageOf(warning);
  return [findingOf(rule, file, { ...warning, message, fix, safeFix: edit && [edit] })];
}

function safeEdit(warning: Warning, text: string, positions: TextPositions): TextEdit | undefined {
  if (warning.rule === 'selector-pseudo-element-colon-notation') {
    // stylelint gives one edit per selector list and round; a long list would take many rounds.
    const start = positions.offset(warning.line, warning.column);
    return text.startsWith(':', start) ? { start, end: start, text: ':' } : undefined;
  }
  const { fix } = warning;
  return fix ? { start: fix.range[0], end: fix.range[1], text: fix.text } : undefined;
}

function messageOf(warning: Warning): string {
  return warning.text.replace(` (${warning.rule})`, '');
}

/** The deepest nesting of braces and parentheses, quotes and comments counted like the rest. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [bracket] of text.matchAll(/[{}()]/g)) {
    depth = bracket === '{' || bracket === '(' ? depth + 1 : Math.max(0, depth - 1);
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}
