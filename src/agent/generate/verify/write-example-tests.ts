import type { Evidence } from '../../../contract/generation/index.ts';
import { isScript, type ParsedLanguage, readProgram } from '../language.ts';
import { type SyntaxParser, withTree } from '../syntax-tree.ts';
import { wantsArgumentsKept } from './find-unshown.ts';
import { readExamples, type Example } from './read-examples.ts';
import type { SuiteReport } from './tool-checks.ts';

const maxMessage = 100;

export interface ExampleTests {
  /** Appended to the tests; empty where there are none. */
  readonly appended: string;
  /** Beside the tests. */
  readonly files: Readonly<Record<string, string>>;
  readonly examples: readonly Example[];
  /** Whether they fail when arguments are changed. */
  readonly areArgumentsKept: boolean;
  /** The values that they expect. */
  readonly results: readonly string[];
  /** The example that a test of this name is of. */
  readonly exampleOf: (name: string) => Example | undefined;
  /** Null where there are no examples. */
  readonly judge: (tests: SuiteReport['tests']) => Evidence['examples'];
}

/** Tests of the examples in a request. */
export async function writeExampleTests(
  parser: SyntaxParser,
  source: {
    readonly language: ParsedLanguage;
    readonly request: string;
    readonly code: string;
    readonly codeFile: string;
    /** How a module of JavaScript is loaded. */
    readonly isCommonJs: boolean;
  },
): Promise<ExampleTests> {
  const { language, request, code } = source;
  const found = readExamples(request, { language, code }).map((example) =>
    inLanguage(example, language),
  );
  const isValid = await Promise.all(
    found.map((example) =>
      withTree(parser, { language, text: statement(example, language) }, (root) => !root.hasError),
    ),
  );
  const examples = found.filter(
    (example, index) => isValid[index] === true && isLiteralOf(example, language),
  );
  const exampleOf = (name: string): Example | undefined =>
    examples[Number(/request[ _]?example[ _]?(\d+)/i.exec(name)?.[1] ?? 0) - 1];
  const areArgumentsKept = examples.length > 0 && language !== 'go' && wantsArgumentsKept(request);
  const written =
    examples.length === 0
      ? { appended: '', files: {} }
      : write(examples, { ...source, areArgumentsKept });
  return {
    ...written,
    examples,
    areArgumentsKept,
    results: examples.flatMap(({ expected }) => (expected.kind === 'value' ? [expected.text] : [])),
    exampleOf,
    judge: (tests) => {
      if (examples.length === 0) return null;
      const own = tests.filter(({ name }) => exampleOf(name) !== undefined);
      const failed = own.filter(({ status }) => status !== 'passed');
      const describe = ({ name, message = '' }: (typeof own)[number]): string =>
        `${exampleOf(name)?.text} (${message.split('\n', 1)[0]?.slice(0, maxMessage)})`;
      return { passed: own.length - failed.length, failed: failed.map(describe) };
    },
  };
}

const toPython: readonly (readonly [RegExp, string])[] = [
  [/\btrue\b/g, 'True'],
  [/\bfalse\b/g, 'False'],
  [/\b(?:null|undefined|nil)\b/g, 'None'],
];
const toScript: readonly (readonly [RegExp, string])[] = [
  [/\bTrue\b/g, 'true'],
  [/\bFalse\b/g, 'false'],
  [/\b(?:None|nil)\b/g, 'null'],
];

/** Translates constants such as `true`; strings stay as they are. */
function inLanguage(example: Example, language: ParsedLanguage): Example {
  const changes = language === 'python' ? toPython : language === 'go' ? [] : toScript;
  const translate = (text: string): string =>
    text
      .split(/((["'])(?:\\.|(?!\2).)*\2)/)
      .filter((_part, index) => index % 3 !== 2)
      .map((part, index) =>
        index % 2 === 1
          ? part
          : changes.reduce((done, [from, to]) => done.replaceAll(from, to), part),
      )
      .join('');
  const { expected } = example;
  return {
    ...example,
    calls: example.calls.map(translate),
    expected:
      expected.kind === 'value' ? { ...expected, text: translate(expected.text) } : expected,
  };
}

/** Whether the expected value is a literal in the notation of the language. */
function isLiteralOf({ expected }: Example, language: ParsedLanguage): boolean {
  if (expected.kind === 'error') return language !== 'go';
  const bare = expected.text.replaceAll(/(["'])(?:\\.|(?!\1).)*\1/g, '0');
  if (language === 'python') return !/[A-Za-z_]\w*\s*:/.test(bare);
  if (language === 'go') return /^(?:\[[^[\]{}]*\]|[^[({']*)$/.test(expected.text);
  return !bare.includes('(');
}

function statement({ calls, expected }: Example, language: ParsedLanguage): string {
  const value = expected.kind === 'value' && language !== 'go' ? [expected.text] : [];
  const lines = [...calls, ...value].map((text) =>
    language === 'python' ? `x = ${text}` : `_ = ${text}`,
  );
  return language === 'go'
    ? `package p\nfunc f() {\n${lines.join('\n')}\n}\n`
    : `${lines.join('\n')}\n`;
}

function write(
  examples: readonly Example[],
  source: Parameters<typeof writeExampleTests>[1] & { readonly areArgumentsKept: boolean },
): Pick<ExampleTests, 'appended' | 'files'> {
  const { language, code } = source;
  if (language === 'go') {
    const name = /^package[ \t]{1,5}(\w{1,100})/m.exec(code)?.[1] ?? 'solution';
    return { appended: '', files: { 'request_test.go': goTests(examples, name) } };
  }
  if (language === 'python') {
    return { appended: pythonTests(examples, source), files: {} };
  }
  return { appended: isScript(language) ? scriptTests(examples, source) : '', files: {} };
}

const ownNames =
  /^(?:Date|Map|Set|BigInt|Number|String|Array|Symbol|float|int|set|dict|list|tuple|range)$/;

/** Names that the calls use and the code defines. */
function rootNames({ calls }: Example): string[] {
  const names = calls.flatMap((call) =>
    [...call.matchAll(/(?<![\w$.])([A-Za-z_$][\w$]*)\(/g)].map((match) => match[1] ?? ''),
  );
  return [...new Set(names)].filter((name) => !ownNames.test(name));
}

type Placed = Pick<Parameters<typeof write>[1], 'codeFile' | 'isCommonJs' | 'areArgumentsKept'>;

function pythonTests(examples: readonly Example[], { codeFile, areArgumentsKept }: Placed): string {
  const watch = areArgumentsKept ? 'keeping_arguments__' : '';
  const tests = examples.map((example, index) => {
    const calls = example.calls.map((call) => `lambda: ${call}`).join(', ');
    const { expected } = example;
    const result =
      expected.kind === 'error' ? `error=${JSON.stringify(expected.name)}` : expected.text;
    return [
      `def test_request_example_${index + 1}():`,
      `    import ${codeFile.replace(/\.py$/, '')} as code__`,
      ...rootNames(example).map((name) => `    ${name} = ${watch}(code__.${name})`),
      `    check_example__([${calls}], ${result})`,
    ].join('\n');
  });
  return `\n\n${[readProgram('python/check_example.py'), ...tests].join('\n\n')}\n`;
}

function scriptTests(
  examples: readonly Example[],
  { codeFile, isCommonJs, areArgumentsKept }: Placed,
): string {
  const watch = areArgumentsKept ? 'keepingArguments__' : '';
  const head = isCommonJs
    ? `const request__ = require('./${codeFile}');\nconst { test: requestTest__ } = require('node:test');\n`
    : `import * as request__ from './${codeFile}';\nimport { test as requestTest__ } from 'node:test';\n`;
  const tests = examples.map((example, index) => {
    const calls = example.calls.map((call) => `async () => (${call})`).join(', ');
    const { expected } = example;
    const result =
      expected.kind === 'error'
        ? `error: ${JSON.stringify(expected.name)}`
        : `expected: ${expected.text}`;
    return [
      `requestTest__('request example ${index + 1}', async () => {`,
      ...rootNames(example).map(
        (name) =>
          `  const ${name} = ${watch}(request__.${name} ?? request__.default?.${name} ?? request__.default);`,
      ),
      `  await checkExample__([${calls}], { ${result} });`,
      '});',
    ].join('\n');
  });
  return `\n${head}${[readProgram('javascript/check-example.mjs'), ...tests].join('\n')}\n`;
}

function goTests(examples: readonly Example[], packageName: string): string {
  const tests = examples.flatMap(({ calls: [call = ''], expected }, index) => {
    if (expected.kind === 'error') return [];
    const want = JSON.stringify(goText(expected.text));
    const isNil = expected.text === 'nil' ? ' && got != "[]" && got != "map[]"' : '';
    return [
      `func TestRequestExample${index + 1}(t *testing.T) {\n\tfor round__ := 0; round__ < 2; round__++ {\n\tgot := fmt.Sprint(${call})\n\tif want := ${want}; got != want && got != want+" <nil>" && got != want+"<nil>"${isNil} {\n\t\tt.Errorf("got %s, want %s", got, want)\n\t}\n\t}\n}\n`,
    ];
  });
  return `package ${packageName}\n\nimport (\n\t"fmt"\n\t"testing"\n)\n\nvar _ = fmt.Sprint\nvar _ *testing.T\n\n${tests.join('\n')}`;
}

/** As `fmt.Sprint` writes it. */
function goText(literal: string): string {
  if (literal === 'nil') return '<nil>';
  try {
    const value: unknown = JSON.parse(literal);
    return Array.isArray(value) ? `[${value.join(' ')}]` : String(value);
  } catch {
    return literal.replaceAll(/^["']|["']$/g, '');
  }
}
