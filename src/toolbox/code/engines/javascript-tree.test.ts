import { describe, expect, it } from 'vitest';
import { SyntaxTrees } from '../syntax-tree.ts';
import { dialectOf, parseJavascript, type JavascriptDialect } from './javascript-tree.ts';

const trees = new SyntaxTrees();
const parse = (text: string, dialect: JavascriptDialect = 'jsx') =>
  parseJavascript({ path: 'a.js', text, dialect }, trees);

it('knows the dialect by the ending', () => {
  expect(dialectOf('a.tsx', 'typescript')).toBe('tsx');
  expect(dialectOf('a.d.mts', 'typescript')).toBe('dts');
  expect(dialectOf('<code>', 'typescript')).toBe('ts');
  expect(dialectOf('a.mjs', 'javascript')).toBe('jsx');
});

it('parses a long line that is valid', async () => {
  expect((await parse(`x = [${'1,'.repeat(10_000)}];`)).errors).toEqual([]);
});

describe('what would end the process is refused instead', () => {
  it.each([
    ['brackets', '['.repeat(20_000)],
    ['calls', 'f('.repeat(20_000)],
    ['type arguments', '<a '.repeat(30_000)],
    ['arrow functions', `x = ${'() => '.repeat(20_000)}1`],
    ['else branches', `${'if (a) {} else '.repeat(20_000)}{}`],
    ['regular expressions that never end', '/['.repeat(50_000)],
  ])('%s', async (_what, text) => {
    await expect(parse(text, 'ts')).rejects.toMatchObject({
      code: expect.stringMatching(/^code\.(too_complex|syntax_error)$/),
    });
  });

  it('a hundred thousand errors on one line, with the place of the first', async () => {
    await expect(parse(`a = 1;\n${'\\'.repeat(100_000)}`)).rejects.toMatchObject({
      code: 'code.syntax_error',
      details: expect.objectContaining({ line: 2 }),
    });
  });
});
