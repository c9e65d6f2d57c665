import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';
import type { Language } from '../../contract/language/index.ts';
import { ownFile } from '../../kernel/index.ts';

export const parsedLanguages = [
  'python',
  'javascript',
  'typescript',
  'java',
  'go',
  'rust',
] as const;

/** Languages with a syntax tree and tests: their code is run. The others are parsed, formatted and linted. */
export type ParsedLanguage = (typeof parsedLanguages)[number];

export function isParsedLanguage(language: string): language is ParsedLanguage {
  return parsedLanguages.some((name) => name === language);
}

const nodeTypes = z
  .array(z.string())
  .default([])
  .transform((names): ReadonlySet<string> => new Set(names));
const pattern = z.string().transform((source) => new RegExp(source));

/** Node types of a tree-sitter grammar, and texts that replace nodes. */
const grammarSchema = z.strictObject({
  /** Functions with a name of their own; the field `body` is what they do. */
  functions: nodeTypes,
  /** Functions that are values: they count when a name is given to them. */
  functionValues: nodeTypes,
  owners: nodeTypes,
  /** Expressions and statements with an operator among their children. */
  operations: nodeTypes,
  numbers: nodeTypes,
  strings: nodeTypes,
  /** Nodes with a condition: statements with a field `condition`, and Python's expressions. */
  conditions: nodeTypes,
  /** Branches without a condition of their own: error handlers, cases. */
  cases: nodeTypes,
  /** `$` is the condition. */
  negate: z.string(),
  /** Not mutated: no test can observe a change in here. */
  skipped: nodeTypes,
  /** What a function without a result returns, and what a removed statement becomes; null: that would not compile. */
  nothing: z.string().nullable().default(null),
  emptyStatement: z.string().nullable().default(null),
  /** Results are changed at run time, by `changed_result__`. */
  isDynamic: z.boolean().default(false),
  /** Where functions declare the type of their result: another value `$` by a pattern of that type. */
  results: z.record(z.string(), z.string()).default({}),
  literals: pattern.default(/^(?!)/),
  /** Calls that are often written where another one is meant: the other one, by a pattern of the call. */
  alternatives: z.record(z.string(), z.string()).default({}),
  /** Makes a function fail when it is called. */
  fail: z.strictObject({
    text: z.string(),
    replacesBody: z.boolean(),
    /** For a function that is a single expression. */
    expression: z.string().optional(),
    /** An error that no code throws of itself. */
    otherError: z.string().optional(),
  }),
});

export type Grammar = z.output<typeof grammarSchema>;

const languageSchema = z.strictObject({
  codeFile: z.string(),
  testFile: z.string(),
  /** `exec.run_tests` names by the names people use; null: tests are written, and cannot be run here. */
  frameworks: z.record(z.string(), z.string().nullable()),
  defaultFramework: z.string(),
  defaultStyle: z.string(),
  /** Instructions to the model, so that its answer can be run here. */
  rules: z.string(),
  /** Mutants in one verification: compiled languages take longer for each. */
  maxMutants: z.int(),
  grammar: grammarSchema,
  /** What code reads of the machine, by patterns of calls. */
  surroundings: z.record(z.string(), pattern).default({}),
  /** Failing tests, by test framework or module system. `«id»` is random. */
  canary: z.record(z.string(), z.string()),
});

export type LanguageProfile = z.output<typeof languageSchema>;

const loaded = new Map<ParsedLanguage, LanguageProfile>();

/** What `languages/<language>/language.yaml` says; TypeScript's is based on that of JavaScript. Read once. */
export function readLanguage(language: ParsedLanguage): LanguageProfile {
  const known = loaded.get(language);
  if (known) return known;
  const base = language === 'typescript' ? readYaml('javascript') : {};
  const profile = languageSchema.parse({ ...base, ...readYaml(language) });
  loaded.set(language, profile);
  return profile;
}

function readYaml(language: Language): object {
  return Object(parse(readProgram(`${language}/language.yaml`)));
}

/** A file below `languages/`: programs that are run with the code, or put into it. */
export function readProgram(path: string): string {
  return readFileSync(ownFile(`agent/generate/languages/${path}`), 'utf8');
}

export function isScript(language: Language): language is 'javascript' | 'typescript' {
  return language === 'javascript' || language === 'typescript';
}

export function rulesFor(language: Language): string {
  if (isParsedLanguage(language)) return readLanguage(language).rules;
  return z.strictObject({ rules: z.string() }).parse(readYaml(language)).rules;
}

/** `pep8` is the default of calls in any language; other languages have defaults of their own. */
export function styleFor(language: Language, wanted: string): string {
  if (language === 'python' || wanted !== 'pep8') return wanted;
  return isParsedLanguage(language) ? readLanguage(language).defaultStyle : 'the usual one';
}
