import type { Evidence } from '../../../contract/generation/index.ts';
import { type ParsedLanguage } from '../language.ts';
import { type SyntaxParser, withTree } from '../syntax-tree.ts';
import { readExamples, type Example } from './read-examples.ts';
import type { SuiteReport } from './tool-checks.ts';

const maxMessage = 100;

export interface ExampleTests {
  /** To be put after the tests; empty where there are none. */
  readonly appended: string;
  /** Beside the tests. */
  readonly files: Readonly<Record<string, string>>;
  readonly examples: readonly Example[];
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
  const written = examples.length === 0 ? { appended: '', files: {} } : write(examples, source);
  return {
    ...written,
    examples,
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

/** Constants as the language calls them; the inside of strings stays. */
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

/** Literals in the notation of another language mean something else, or nothing. */
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

type Written = Pick<ExampleTests, 'appended' | 'files'>;

function write(
  examples: readonly Example[],
  source: Parameters<typeof writeExampleTests>[1],
): Written {
  const { language, codeFile, isCommonJs, code } = source;
  switch (language) {
    case 'python':
      return { appended: pythonTests(examples, codeFile.replace(/\.py$/, '')), files: {} };
    case 'javascript':
    case 'typescript':
      return { appended: scriptTests(examples, codeFile, isCommonJs), files: {} };
    case 'go': {
      const name = /^package[ \t]{1,5}(\w{1,100})/m.exec(code)?.[1] ?? 'solution';
      return { appended: '', files: { 'request_test.go': goTests(examples, name) } };
    }
    case 'java':
    case 'rust':
      return { appended: '', files: {} };
  }
}

function rootNames({ calls }: Example): string {
  const names = calls.flatMap((call) =>
    [...call.matchAll(/(?<![\w$.])([A-Za-z_$][\w$]*)\(/g)].map((match) => match[1] ?? ''),
  );
  return [...new Set(names)]
    .filter(
      (name) =>
        !/^(?:Date|Map|Set|BigInt|Number|String|Array|Symbol|float|int|set|dict|list|tuple|range)$/.test(
          name,
        ),
    )
    .join(' ');
}

function pythonTests(examples: readonly Example[], module: string): string {
  const tests = examples.map((example, index) => {
    const lines = [
      `def test_request_example_${index + 1}():`,
      `    import ${module} as code__`,
      ...rootNames(example)
        .split(' ')
        .map((name) => `    ${name} = code__.${name}`),
      '    results = []',
      ...example.calls.flatMap((call) => [
        '    try:',
        `        results.append(("value", ${call}))`,
        '    except Exception as error:',
        '        results.append(("error", [one.__name__ for one in type(error).__mro__], error))',
      ]),
      example.expected.kind === 'error'
        ? `    assert any(one[0] == "error" and ${JSON.stringify(example.expected.name)} in one[1] for one in results), results`
        : `    expected = ${example.expected.text}`,
      ...(example.expected.kind === 'error'
        ? []
        : [
            '    near = lambda one: isinstance(expected, float) and isinstance(one, (int, float)) and abs(one - expected) < 1e-9',
            '    assert any(one[0] == "value" and (one[1] == expected or near(one[1])) for one in results), results',
          ]),
    ];
    return `\n\n${lines.join('\n')}\n`;
  });
  return tests.join('');
}

function scriptTests(examples: readonly Example[], codeFile: string, isCommonJs: boolean): string {
  const head = isCommonJs
    ? `const request__ = require('./${codeFile}');\nconst { test: requestTest__ } = require('node:test');\nconst { isDeepStrictEqual: requestEqual__ } = require('node:util');\n`
    : `import * as request__ from './${codeFile}';\nimport { test as requestTest__ } from 'node:test';\nimport { isDeepStrictEqual as requestEqual__ } from 'node:util';\n`;
  const tests = examples.map((example, index) => {
    const names = rootNames(example)
      .split(' ')
      .map(
        (name) =>
          `  const ${name} = request__.${name} ?? request__.default?.${name} ?? request__.default;`,
      );
    const isGood =
      example.expected.kind === 'error'
        ? `requestNames__(one.error).includes(${JSON.stringify(example.expected.name)})`
        : `'value' in one && (requestEqual__(one.value ?? null, expected ?? null) || JSON.stringify(one.value) === JSON.stringify(expected) || (typeof expected === 'number' && Math.abs(one.value - expected) < 1e-9 && typeof one.value === 'number'))`;
    return [
      `requestTest__('request example ${index + 1}', async () => {`,
      ...names,
      ...(example.expected.kind === 'value'
        ? [`  const expected = ${example.expected.text};`]
        : []),
      '  const results = [];',
      ...example.calls.map(
        (call) =>
          `  try { results.push({ value: await (${call}) }); } catch (error) { results.push({ error }); }`,
      ),
      `  if (!results.some((one) => ${isGood})) throw new Error('AssertionError: ' + String(results[0]?.error ?? JSON.stringify(results[0]?.value)));`,
      '});',
      '',
    ].join('\n');
  });
  const names = `function requestNames__(error) {
  const names = [error?.name];
  for (let one = error; one; one = Object.getPrototypeOf(one)) names.push(one.constructor?.name);
  return names;
}
`;
  return `\n${head}${names}${tests.join('\n')}`;
}

function goTests(examples: readonly Example[], packageName: string): string {
  const tests = examples.flatMap(({ calls: [call = ''], expected }, index) => {
    if (expected.kind === 'error') return [];
    const want = JSON.stringify(goText(expected.text));
    return [
      `func TestRequestExample${index + 1}(t *testing.T) {\n\tgot := fmt.Sprint(${call})\n\tif want := ${want}; got != want && got != want+" <nil>" && got != want+"<nil>" {\n\t\tt.Errorf("got %s, want %s", got, want)\n\t}\n}\n`,
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
