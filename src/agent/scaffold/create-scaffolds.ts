import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';
import type { Language } from '../../contract/language/index.ts';
import { ownFile } from '../../kernel/index.ts';
import { formalizeByRules } from './formalize-by-rules.ts';
import { camelCase, capitalize, scaffoldNames, type ScaffoldNames } from './scaffold-names.ts';

/** Code, tests and formalized tasks without a model: programs that run, with the logic left to be written. */
export function createScaffolds() {
  return {
    code: async ({ description, language }: CodeInput) => {
      const kind = scaffoldKind(description);
      const code = scaffoldCode(language, kind, description);
      return {
        code,
        explanation: `A ${kindWords[kind]} in ${language} from a template: names come from the description, what it is to do is left open.`,
        dependencies: [],
        test_code: scaffoldTests(code, language).test_code,
      };
    },
    tests: async ({ code, language, framework }: TestsInput) =>
      scaffoldTests(code, language, framework),
    formalize: async (input: { readonly informal_request: string; readonly context: string }) =>
      formalizeByRules(input.informal_request, input.context),
  };
}

interface CodeInput {
  readonly description: string;
  readonly language: Language;
}

interface TestsInput {
  readonly code: string;
  readonly language: Language;
  readonly framework?: string;
}

export type ScaffoldKind = 'function' | 'class' | 'cli' | 'rest';

const kindWords = {
  function: 'function',
  class: 'class',
  cli: 'command-line program',
  rest: 'REST resource',
} as const;

const kindPatterns: readonly (readonly [ScaffoldKind, RegExp])[] = [
  ['rest', /\b(?:rest|https?|api|endpoints?|crud|web ?service|microservice|backend|routes?)\b/iu],
  ['cli', /\b(?:cli|command[ -]line|terminal|console|script|shell)\b/iu],
  ['class', /\b(?:class|object|data ?structure|cache|queue|stack|store|list|tree|model)\b/iu],
];

export function scaffoldKind(description: string): ScaffoldKind {
  return kindPatterns.find(([, pattern]) => pattern.test(description))?.[0] ?? 'function';
}

/** A program of this kind, named after the description. */
export function scaffoldCode(language: Language, kind: ScaffoldKind, description: string): string {
  const templates = readTemplates(language);
  const { parameters, ...names } = scaffoldNames(description, 'solution');
  const lists = Object.entries(templates.lists).map(([list, { each, between }]) => {
    const entries = parameters.map((name) => fill(each, { name, camelName: camelCase(name) }));
    return [list, entries.join(between)];
  });
  return fill(templates[kind], { ...names, ...Object.fromEntries(lists) });
}

/** A test skeleton in the framework, or the usual one where there is none for it; empty for languages without tests. */
export function scaffoldTests(
  code: string,
  language: Language,
  framework = '',
): { readonly test_code: string; readonly test_cases: string[] } {
  const { frameworks, ...usual } = readTemplates(language);
  const { tests, case: testCase } = new Map(Object.entries(frameworks)).get(framework) ?? usual;
  if (tests === undefined || testCase === undefined) return { test_code: '', test_cases: [] };
  const found = functionNames(code, language);
  const names = found.length > 0 ? found : ['solution'];
  const cases = names.map((name) => fill(testCase, { name, Name: capitalize(name) }));
  return {
    test_code: fill(tests, { cases: cases.join('\n').trimEnd() }),
    test_cases: names.map((name) => `${name}: typical input, bad input`),
  };
}

const templatesSchema = z.strictObject({
  function: z.string(),
  class: z.string(),
  cli: z.string(),
  rest: z.string(),
  /** Text for each parameter of a function, inserted at «name of the list». */
  lists: z
    .record(z.string(), z.strictObject({ each: z.string(), between: z.string() }))
    .default({}),
  /** A test file around «cases», and the tests of one function. */
  tests: z.string().optional(),
  case: z.string().optional(),
  /** The same for other frameworks, by name. */
  frameworks: z
    .record(z.string(), z.strictObject({ tests: z.string(), case: z.string() }))
    .default({}),
});

function readTemplates(language: Language): z.output<typeof templatesSchema> {
  const text = readFileSync(ownFile(`agent/scaffold/templates/${language}.yaml`), 'utf8');
  return templatesSchema.parse(parse(text));
}

/** Templates mark what is filled in as «title»: no programming language uses those quotes. */
function fill(
  template: string,
  values: Readonly<Record<string, string>> | Omit<ScaffoldNames, 'parameters'>,
): string {
  const known = new Map<string, string>(Object.entries(values));
  return template.replaceAll(/«(\w+)»/gu, (blank, name: string) => known.get(name) ?? blank);
}

const maxNames = 30;
const maxChars = 200_000;

const exported =
  /^export +(?:default +)?(?:(?:async +)?function\*?|(?:abstract +)?class|const(?= +\w+ *= *(?:async +)?(?:\(|\w+ *=>))) *([A-Za-z]\w*)/gmu;

/** Declarations of functions and classes that a test can use, at the start of a line. */
const declarations: Readonly<Partial<Record<Language, RegExp>>> = {
  python: /^(?:(?:async +)?def|class) +([A-Za-z]\w*)/gmu,
  javascript: exported,
  typescript: exported,
  java: /^ +(?:public|protected)? *static +[\w<>[\], ?]+? +([a-z]\w*) *\(/gmu,
  go: /^func +([A-Z]\w*)/gmu,
  rust: /^ *pub +(?:async +)?fn +([a-z]\w*)/gmu,
};

function functionNames(code: string, language: Language): string[] {
  const declaration = declarations[language];
  if (!declaration) return [];
  const names = [...code.slice(0, maxChars).matchAll(declaration)].map((match) => match[1] ?? '');
  return [...new Set(names)].filter((name) => name !== 'main').slice(0, maxNames);
}
