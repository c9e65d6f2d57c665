import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';
import type { Language } from '../../contract/language/index.ts';
import { ownFile } from '../../kernel/index.ts';

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

/** Names for a scaffold, made of the words of a description. */
interface ScaffoldNames {
  /** The description on one line, safe inside comments and strings of every language. */
  readonly title: string;
  readonly camel: string;
  readonly pascal: string;
  readonly snake: string;
  readonly kebab: string;
  /** In snake case; `value` when the description names none. */
  readonly parameters: readonly [string, ...string[]];
}

const maxWords = 4;
const maxTitleLength = 120;
const maxParameters = 6;
const fillers = new Set(
  (
    'a an the of for to in on with that which and or it its me my i we you please can could would should will ' +
    'create write make build implement generate develop code function method class module program script helper ' +
    'utility library tool api endpoint rest service resource cli command line application app want need new simple ' +
    'small python javascript typescript java go golang rust sql html css node using use some this these those from by'
  ).split(' '),
);

/** Reserved words of some language: not usable as the name of a function. */
const reserved = new Set(
  (
    'import export default return delete switch case break continue for while if else try catch finally throw raise ' +
    'with async await def lambda pass yield global assert var let const func struct interface type package select ' +
    'match loop move impl trait enum mod pub use self super static final void int public private native range map chan go'
  ).split(' '),
);

/** `parseQuery(url, limit)`: a signature given by the user. */
const signature = /\b([A-Za-z_]\w{1,63})\s?\(([\w\s,]{0,200})\)/u;

function scaffoldNames(description: string, fallback: string): ScaffoldNames {
  const named = signature.exec(description);
  const text = named?.[1] ?? description;
  const words = named ? splitName(text) : contentWords(text);
  const isUsable = words.length > 1 || (words.length === 1 && !reserved.has(words[0] ?? ''));
  const [first = fallback, ...rest] = isUsable ? words : [...words, fallback];
  const parameters = (named?.[2] ?? '')
    .split(',')
    .map((name) => splitName(name).join('_'))
    .filter((name) => /^[a-z]/.test(name))
    .map((name) => (reserved.has(name) ? `${name}_value` : name))
    .slice(0, maxParameters);
  const [firstParameter = 'value', ...otherParameters] = parameters;
  return {
    title: titleOf(description),
    camel: [first, ...rest.map(capitalize)].join(''),
    pascal: [first, ...rest].map(capitalize).join(''),
    snake: [first, ...rest].join('_'),
    kebab: [first, ...rest].join('-'),
    parameters: [firstParameter, ...otherParameters],
  };
}

function contentWords(text: string): string[] {
  return (text.toLowerCase().match(/[a-z][a-z0-9]*/g) ?? [])
    .filter((word) => !fillers.has(word))
    .slice(0, maxWords);
}

function splitName(name: string): string[] {
  return (name.match(/[A-Z]?[a-z0-9]+|[A-Z]+/g) ?? []).map((word) => word.toLowerCase());
}

/** Without characters that could end a comment or a string. */
function titleOf(description: string): string {
  const line = description
    .replaceAll(/[^\p{L}\p{N} .,;:()=+%#@_-]/gu, ' ')
    .replaceAll(/-{2,}|\s+/g, ' ')
    .trim();
  return line.length > maxTitleLength ? `${line.slice(0, maxTitleLength - 1)}…` : line;
}

function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function camelCase(snake: string): string {
  const [first = '', ...rest] = snake.split('_');
  return [first, ...rest.map(capitalize)].join('');
}

const maxRequirements = 20;
const maxRequestChars = 20_000;

/** A request split into requirements and steps by its punctuation. */
interface RuleFormalization {
  readonly formalized_description: string;
  readonly requirements: string[];
  readonly steps: string[];
  readonly estimated_complexity: 'low' | 'medium' | 'high';
}

const boundaries = /[.;!?\n]+\s?|,?\s(?:and then|then|afterwards|after that)\s|,\s(?:and\s)?/iu;
const wantsTests = /\btests?\b|\bcoverage\b/iu;
const wantsReview = /\breview|\bcheck\b/iu;

function formalizeByRules(request: string, context: string): RuleFormalization {
  const text = collapseSpace(request.slice(0, maxRequestChars)).trim();
  const clauses = text
    .split(boundaries)
    .map((clause) => clause.replace(/^(?:and|or|but|also|please)\s+/iu, '').trim())
    .filter((clause) => clause.length > 2);
  const requirements = [...new Set(clauses)].slice(0, maxRequirements).map(capitalize);
  const steps = [
    'Write down inputs, outputs and what counts as done',
    ...requirements.map((requirement) => `Do: ${requirement}`),
    ...(wantsTests.test(text) ? [] : ['Write tests for typical, boundary and bad input']),
    ...(wantsReview.test(text) ? [] : ['Review the result']),
  ];
  const about =
    context.trim() === '' ? '' : ` Context: ${context.trim().slice(0, maxRequestChars)}`;
  return {
    formalized_description: `${capitalize(text)}${about}`,
    requirements,
    steps,
    estimated_complexity: complexityOf(requirements.length, text.length),
  };
}

/** Collapses runs of white space, so that the patterns stay linear. */
function collapseSpace(text: string): string {
  return text.replaceAll(/\s+/gu, (space) => (space.includes('\n') ? '\n' : ' '));
}

function complexityOf(requirements: number, length: number): 'low' | 'medium' | 'high' {
  if (requirements > 6 || length > 1_500) return 'high';
  return requirements > 2 || length > 300 ? 'medium' : 'low';
}
