import type { ESLint, Linter } from 'eslint';
import { parseJavascriptFile } from '../engines/javascript-tree.ts';
import { syntaxError, TooComplexError } from '../errors.ts';
import type { SourceFile } from '../source-files.ts';
import { TextPositions } from '../text-positions.ts';
import {
  findingOf,
  isWanted,
  readLintData,
  type LintFinding,
  type LintRule,
  type LintSetup,
} from './lint-data.ts';

/** JavaScript by ESLint with its own parser. */
export async function lintJavascript(file: SourceFile, setup: LintSetup): Promise<LintFinding[]> {
  const { Linter } = await import('eslint');
  const linter = new Linter({ configType: 'flat' });
  const rules = selectRules(setup, 'javascript');
  const verify = (sourceType: SourceType): Linter.LintMessage[] =>
    linter.verify(file.text, javascriptConfig(rules, sourceType), { filename: 'source.js' });
  let sourceType = guessSourceType(file);
  let messages = verify(sourceType);
  // Sloppy code that is no module may still be a script, and the other way round.
  if (messages.some(({ fatal }) => fatal)) {
    const other = sourceType === 'module' ? 'commonjs' : 'module';
    const second = verify(other);
    if (!second.some(({ fatal }) => fatal)) [sourceType, messages] = [other, second];
  }
  const left = countSilenced(messages, linter, setup);
  return toFindings(left, { file, isScript: sourceType !== 'module' });
}

/** TypeScript by ESLint over oxc's tree, with our rules about types. */
export async function lintTypescript(file: SourceFile, setup: LintSetup): Promise<LintFinding[]> {
  const parsed = await parseJavascriptFile(file, setup.context.trees);
  const [problem] = parsed.errors;
  if (problem) {
    const position = new TextPositions(file.text).position(problem.labels[0]?.start ?? 0);
    throw syntaxError(file, position, problem.message);
  }
  const { Linter } = await import('eslint');
  const { typescriptParser } = await import('./typescript-parser.ts');
  const { typescriptPlugin } = await import('./typescript-plugin.ts');
  const { program, comments } = parsed;
  const config: Linter.Config[] = [
    {
      files: ['**/*.js', '**/*.ts'],
      languageOptions: { parser: await typescriptParser({ text: file.text, program, comments }) },
      plugins: { typescript: typescriptPlugin() },
      linterOptions,
      rules: selectRules(setup, 'typescript'),
    },
  ];
  const filename = file.path.endsWith('.d.ts') ? 'source.d.ts' : 'source.ts';
  const linter = new Linter({ configType: 'flat' });
  const messages = linter.verify(file.text, config, { filename });
  return toFindings(countSilenced(messages, linter, setup), { file, isScript: false });
}

/** A comment in the text could give a rule options of its own, such as a pattern that takes for ever. */
const linterOptions = { noInlineConfig: true, reportUnusedDisableDirectives: 'off' } as const;

function countSilenced(
  messages: readonly Linter.LintMessage[],
  linter: Linter,
  { onSilenced }: LintSetup,
): readonly Linter.LintMessage[] {
  const left = withoutSilenced(messages, linter);
  onSilenced?.(messages.length - left.length);
  return left;
}

type SourceType = 'module' | 'commonjs';

function guessSourceType(file: SourceFile): SourceType {
  if (file.path.endsWith('.cjs')) return 'commonjs';
  if (file.path.endsWith('.mjs')) return 'module';
  return /^\s*(?:import|export)\b/m.test(file.text) ? 'module' : 'commonjs';
}

function javascriptConfig(rules: Linter.RulesRecord, sourceType: SourceType): Linter.Config[] {
  return [
    {
      files: ['**/*.js', '**/*.ts'],
      languageOptions: {
        ecmaVersion: 'latest',
        sourceType,
        parserOptions: { ecmaFeatures: { jsx: true } },
      },
      linterOptions,
      plugins: {} satisfies Record<string, ESLint.Plugin>,
      rules,
    },
  ];
}

function selectRules(
  { guide }: LintSetup,
  language: 'javascript' | 'typescript',
): Linter.RulesRecord {
  const isTypescript = language === 'typescript';
  const rules: Linter.RulesRecord = {};
  for (const { name, options, ...rule } of readLintData('javascript').rules) {
    if (isTypescript && rule.notInTypescript) continue;
    if (isWanted(guide, name, rule.optIn))
      rules[name] = ['error', ...(Array.isArray(options) ? options : [])];
  }
  if (isTypescript) {
    for (const { name } of readLintData('typescript').rules) rules[`typescript/${name}`] = 'error';
  }
  return rules;
}

function toFindings(
  messages: readonly Linter.LintMessage[],
  source: { readonly file: SourceFile; readonly isScript: boolean },
): LintFinding[] {
  const { file } = source;
  const fatal = messages.find((message) => message.fatal);
  if (fatal && /\bstack\b/.test(fatal.message))
    throw new TooComplexError(file.path, 'it is nested too deeply');
  if (fatal) {
    const position = { line: fatal.line || 1, column: fatal.column || 1 };
    throw syntaxError(file, position, fatal.message.replace(/^Parsing error: /, ''));
  }
  const findings: LintFinding[] = [];
  for (const message of messages) {
    const rule = findRule(message.ruleId ?? '');
    // ESLint says of each comment that it is ignored.
    if (!rule) continue;
    const isSafe = rule.safeFix === true && !(source.isScript && message.ruleId === 'prefer-const');
    const { fix } = message;
    const safeFix = fix && isSafe && [{ start: fix.range[0], end: fix.range[1], text: fix.text }];
    findings.push(
      findingOf(rule, file, {
        ...message,
        fix: fix && describeFix(fix.text),
        safeFix: safeFix || undefined,
      }),
    );
  }
  return findings;
}

function findRule(id: string): LintRule | undefined {
  const [prefix, name = ''] = id.split('/');
  return prefix === 'typescript'
    ? readLintData('typescript').byName.get(name)
    : readLintData('javascript').byName.get(id);
}

const maxShownFix = 80;

function describeFix(text: string): string {
  const shown = text.trim();
  if (shown === '') return 'Remove it';
  if (shown.length > maxShownFix || shown.includes('\n')) return 'Rewrite as the rule suggests';
  return `Replace with ${shown}`;
}

/** `eslint-disable`, `eslint-enable`, `eslint-disable-line` or `eslint-disable-next-line`, as ESLint found it. */
interface Directive {
  readonly type: 'disable' | 'enable' | 'disable-line' | 'disable-next-line';
  /** The rules it names, separated by commas; empty for all. */
  readonly value: string;
  readonly node: { readonly loc: { readonly start: Position; readonly end: Position } };
}

interface Position {
  readonly line: number;
  /** From 0, unlike that of a message. */
  readonly column: number;
}

/**
 * The messages that no comment silences. ESLint itself runs with `noInlineConfig`, because comments may also
 * configure rules. Takes time in proportion to the text, however many comments are in it.
 */
export function withoutSilenced(
  messages: readonly Linter.LintMessage[],
  linter: Linter,
): readonly Linter.LintMessage[] {
  const lines = new Map<number, RuleSwitch>();
  const blocks: Directive[] = [];
  for (const directive of directivesOf(linter)) {
    const { type, node, value } = directive;
    if (type === 'disable' || type === 'enable') {
      blocks.push(directive);
      continue;
    }
    const line = type === 'disable-line' ? node.loc.start.line : node.loc.end.line + 1;
    const rules = lines.get(line) ?? new RuleSwitch();
    rules.turn('disable', value);
    lines.set(line, rules);
  }
  const around = new RuleSwitch();
  let next = 0;
  return messages.toSorted(byPosition).filter(({ ruleId, line, column }) => {
    for (let block = blocks[next]; block && isBefore(block, line, column); block = blocks[next]) {
      around.turn(block.type === 'enable' ? 'enable' : 'disable', block.value);
      next += 1;
    }
    return ruleId === null || !(around.isOff(ruleId) || lines.get(line)?.isOff(ruleId) === true);
  });
}

function isBefore({ node }: Directive, line: number, column: number): boolean {
  const { start } = node.loc;
  return start.line < line || (start.line === line && start.column < column - 1);
}

/** Which rules comments have switched off so far. */
class RuleSwitch {
  #isAllOff = false;
  /** Switched otherwise than all the others. */
  readonly #others = new Set<string>();

  turn(way: 'disable' | 'enable', value: string): void {
    const isOff = way === 'disable';
    const rules = value.split(',').flatMap((name) => name.trim() || []);
    if (rules.length === 0) {
      this.#isAllOff = isOff;
      this.#others.clear();
    }
    for (const rule of rules) {
      if (isOff === this.#isAllOff) this.#others.delete(rule);
      else this.#others.add(rule);
    }
  }

  isOff(rule: string): boolean {
    return this.#others.has(rule) !== this.#isAllOff;
  }
}

/** ESLint's declarations lack the method that its source code has. */
function directivesOf(linter: Linter): readonly Directive[] {
  const source = linter.getSourceCode() as
    | { getDisableDirectives?(): { readonly directives: readonly Directive[] } }
    | undefined;
  return source?.getDisableDirectives?.().directives ?? [];
}

function byPosition(a: Linter.LintMessage, b: Linter.LintMessage): number {
  return a.line - b.line || a.column - b.column;
}
