import { afterAll, describe, expect, it } from 'vitest';
import { localCaller } from '../src/contract/caller/index.ts';
import { errorCodes } from '../src/contract/error/index.ts';
import { errorMetaKey } from '../src/contract/tool/index.ts';
import { aCodeCatalogue } from './support/code-catalogue.ts';
import { sampleSeeded } from '../testkit/sample.ts';

const tools = [
  'format_code',
  'analyze_complexity',
  'review_code',
  'refactor_code',
  'scan_security',
  'scan_secrets',
];

interface Syntax {
  /** One short valid statement or rule. */
  readonly line: string;
  /** What may be nested, around `{}`. */
  readonly nest: readonly [string, string, string];
  readonly comment: readonly [string, string];
}

const syntaxes: Readonly<Record<string, Syntax>> = {
  python: { line: 'x = 1', nest: ['x = ', '(', ')'], comment: ['"""', '"""'] },
  javascript: { line: 'x = 1;', nest: ['x = ', '[', ']'], comment: ['/*', '*/'] },
  typescript: { line: 'let a: number = 1;', nest: ['x = ', '(', ')'], comment: ['/*', '*/'] },
  java: {
    line: 'class A { int f() { return 1; } }',
    nest: ['class B { int x = ', '(', ')'],
    comment: ['/*', '*/'],
  },
  go: { line: 'var a = 1', nest: ['package a\nvar x = ', '(', ')'], comment: ['/*', '*/'] },
  rust: { line: 'fn f() {}', nest: ['fn g() { let x = ', '(', ')'], comment: ['/*', '*/'] },
  sql: { line: 'SELECT 1;', nest: ['SELECT ', '(', ')'], comment: ['/*', '*/'] },
  html: { line: '<p>a</p>', nest: ['', '<div>', '</div>'], comment: ['<!--', '-->'] },
  css: { line: 'a { color: red }', nest: ['', '@media print {', '}'], comment: ['/*', '*/'] },
};

const levels = 10_000;
const manyLines = 100_000;

function hostileTexts({ line, nest, comment }: Syntax): Readonly<Record<string, string>> {
  const [before, open, close] = nest;
  return {
    'nothing at all': '',
    'blank lines only': '\n \t\n'.repeat(1_000),
    'nesting of 10,000 levels': `${before}${open.repeat(levels)}1${close.repeat(levels)}`,
    'nesting that never closes': `${before}${open.repeat(levels)}`,
    'closing that never opened': close.repeat(levels),
    '100,000 lines': `${line}\n`.repeat(manyLines),
    'one line of a megabyte': `${line} `.repeat(Math.ceil(1_000_000 / line.length)),
    'a comment that never ends': `${line}\n${comment[0]}${'a'.repeat(100_000)}`,
    'a hundred thousand quotes': '"\'`'.repeat(33_334),
    'a hundred thousand letters': 'a'.repeat(100_000),
    'what makes a backtracking regex explode': `${'a'.repeat(30_000)}!${' '.repeat(30_000)}x${'/'.repeat(30_000)}`,
    'NUL and control characters': `\0\u0001\u001B${line}\0`,
    'half a surrogate pair': `${line} \uD800`,
    'a byte order mark and CRLF': `\uFEFF${line}\r\n${line}\r\n`,
    'text right to left and emoji': `${line} \u202E👩‍👩‍👧‍👦 ${'é'.repeat(1_000)}`,
    'keys of every prototype': '__proto__ constructor prototype toString\n'.repeat(100),
    'assignments that look like keys': `password = "${'a1B2'.repeat(10_000)}"\n`.repeat(3),
  };
}

const cases = Object.entries(syntaxes).flatMap(([language, syntax]) =>
  Object.entries(hostileTexts(syntax)).flatMap(([what, code]) =>
    tools.map((tool) => ({ tool, language, what, code })),
  ),
);

/** What takes longer must end with a clear error. */
const timeoutMs = 15_000;
const catalogue = aCodeCatalogue([process.cwd()], timeoutMs);
afterAll(() => catalogue.close());

/** Codes that mean "we did not foresee this": never an answer to bad input. */
const bugs = ['internal.bug', 'toolbox.invalid_output', 'toolbox.worker_died'];

describe('a code tool survives', () => {
  it('enough hostile texts', () => expect(cases.length).toBeGreaterThan(300));

  it.each(sampleSeeded(cases, 110))(
    '$tool on $language: $what',
    async ({ tool, language, code }) => {
      const result = await catalogue.callTool(
        tool,
        { language, code },
        {
          caller: localCaller,
          signal: new AbortController().signal,
          progress: () => {},
          meta: {},
        },
      );
      if (!result.isError) {
        expect(result.structuredContent).toBeDefined();
        return;
      }
      const report = result._meta?.[errorMetaKey];
      expect(report).toMatchObject({ message: expect.stringMatching(/.{20,}/) });
      const reported = (report as { code: string }).code;
      expect(Object.keys(errorCodes)).toContain(reported);
      expect(bugs).not.toContain(reported);
    },
    timeoutMs + 5_000,
  );
});
