import { expect, it } from 'vitest';
import { SyntaxTrees } from '../../../toolbox/code/index.ts';
import { arrangeTests } from './find-tests.ts';

const parser = new SyntaxTrees();

it('reverses tests behind all that is defined between them, and takes one alone', async () => {
  const text = [
    'def test_a():\n    assert f(1)\n',
    'CASES = [1]\n',
    '@mark.parametrize("x", CASES)\ndef test_b(x):\n    assert f(x)\n',
    'def test_c():\n    assert f(3)\n',
  ].join('\n');
  const { reversed, alone } = await arrangeTests(parser, { language: 'python', text });
  expect(reversed.replaceAll(/\n+/g, '\n').split('\n')).toEqual([
    'pass',
    'CASES = [1]',
    'pass',
    'def test_c():',
    '    assert f(3)',
    '@mark.parametrize("x", CASES)',
    'def test_b(x):',
    '    assert f(x)',
    'def test_a():',
    '    assert f(1)',
    '',
  ]);
  expect(alone).toEqual([{ name: 'test_b', text: expect.stringContaining('def test_b') }]);
  expect(alone[0]?.text).not.toMatch(/test_a|test_c/);
});

it('reverses tests within their suites', async () => {
  const text = "describe('x', () => {\n  it('a', () => {});\n  it('b', async () => {});\n});\n";
  const { reversed } = await arrangeTests(parser, { language: 'javascript', text });
  expect(reversed).toMatch(/^describe\('x', \(\) => \{\n  ;\n  it\('b'[^]*\n\n  it\('a'/);
});
