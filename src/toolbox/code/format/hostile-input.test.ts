import { describe, expect, it } from 'vitest';
import { AppError } from '../../../kernel/index.ts';
import { aCodeContext } from '../../../../testkit/toolbox/code-context.ts';
import type { Language } from '../language.ts';
import { checkSyntax, createFormatEngines, formatSource } from './format-source.ts';

const context = aCodeContext();
const engines = createFormatEngines();
const signal = new AbortController().signal;
const depth = 10_000;

function format(text: string, language: Language) {
  const file = { path: 'x', text, language };
  return formatSource({ file, formatter: 'x', lineLength: 100, signal }, engines, context);
}

function nest(open: string, inner: string, close: string): string {
  return open.repeat(depth) + inner + close.repeat(depth);
}

const deep: readonly [Language, string][] = [
  ['python', `x = ${nest('(', '1', ')')}`],
  ['python', `x = ${'not '.repeat(depth)}1`],
  ['python', '('.repeat(depth)],
  ['javascript', `x = ${nest('[', '', ']')}`],
  ['javascript', nest('if(a){', '', '}')],
  ['javascript', '{'.repeat(depth)],
  ['typescript', `type A = ${nest('Array<', 'B', '>')}`],
  ['java', `class A { int x = ${nest('(', '1', ')')}; }`],
  ['go', `package a\nvar x = ${nest('(', '1', ')')}`],
  ['go', '('.repeat(depth)],
  ['rust', `fn f() ${nest('{', '', '}')}`],
  ['sql', `select ${nest('(', '1', ')')}`],
  ['sql', `select ${Array(depth).fill('1').join('+')}`],
  ['html', nest('<div>', 'x', '</div>')],
  ['css', nest('a{', 'b:c', '}')],
  ['css', 'a{'.repeat(depth)],
];

const simple: readonly [Language, string][] = [
  ['python', 'x = 1\n'],
  ['javascript', 'x = 1;\n'],
  ['typescript', 'let x: number = 1;\n'],
  ['java', 'class A {}\n'],
  ['go', 'package a\n'],
  ['rust', 'fn f() {}\n'],
  ['sql', 'select\n  1\n'],
  ['html', '<p>x</p>\n'],
  ['css', 'a {\n  b: c;\n}\n'],
];

describe('input nested 10,000 levels deep', () => {
  it.each(deep.map(([language, text]) => [language, text.slice(0, 30), text] as const))(
    'in %s (%s…) is a result or a clear error',
    async (language, _start, text) => {
      const outcome = await format(text, language).catch((error: unknown) => error);
      const checked = await checkSyntax({ path: 'x', text, language }, context).catch(
        (error: unknown) => error,
      );
      const bugs = [outcome, checked].filter(
        (one) => one instanceof Error && !(one instanceof AppError),
      );
      expect(bugs).toEqual([]);
    },
  );

  it.each(simple)('leaves the engine for %s in working order', async (language, text) => {
    expect((await format(text, language)).text).toBe(text);
  });
});

it('SQL that overflows the parser as often as it likes does not break it', async () => {
  const text = `select ${Array(2 * depth)
    .fill('1')
    .join('+')}`;
  for (let time = 0; time < 40; time += 1) {
    await expect(format(text, 'sql')).rejects.toMatchObject({ code: 'code.too_complex' });
  }
  expect((await format('select 1', 'sql')).text).toBe('select\n  1\n');
});

it.each(simple)('text in %s that is too long for its engine is refused', async (language, text) => {
  const long = text.repeat(Math.ceil(5_000_001 / text.length));
  await expect(format(long, language)).rejects.toMatchObject({ code: 'code.too_complex' });
});

it.each<[Language, string]>([
  ['python', 'x=1\n'],
  ['go', 'package a\n'],
])('100,000 lines of %s are formatted', async (language, first) => {
  const text = first + (language === 'go' ? 'var x  = 1\n' : 'x=1\n').repeat(100_000);
  expect((await format(text, language)).text.split('\n').length).toBeGreaterThan(100_000);
});
