import { expect, it } from 'vitest';
import { SyntaxTrees } from '../../../toolbox/code/index.ts';
import { type ParsedLanguage } from '../language.ts';
import { writeExampleTests } from './write-example-tests.ts';

const codes = {
  python: 'def f(x):\n    return x\n',
  javascript: 'export function f(x) { return x; }\n',
  go: 'package solution\n\nfunc f(x int) int { return x }\n',
} as const;

async function write(language: keyof typeof codes, request: string): Promise<string> {
  const codeFile = `solution.${language}`;
  const source = { language: language satisfies ParsedLanguage, request, code: codes[language] };
  const { appended, files } = await writeExampleTests(new SyntaxTrees(), {
    ...source,
    codeFile,
    isCommonJs: false,
  });
  return appended + Object.values(files).join('');
}

it.each<[keyof typeof codes, string, string]>([
  ['python', 'f(2) == true', '[lambda: f(2)], True)'],
  ['javascript', 'f("None") is None', '{ expected: null }'],
  ['go', 'f(2) == [1, 2]', 'want := "[1 2]"'],
  ['go', 'f(2) == "a"', 'want := "a"'],
  ['go', 'f(2) == nil', 'got != "map[]"'],
])('are written in %s: %s', async (language, request, expected) => {
  expect(await write(language, request)).toContain(expected);
});

it.each<[keyof typeof codes, string]>([
  ['python', 'f(2) == {a: 1}'],
  ['javascript', 'f(2) == (1, 2)'],
  ['go', 'f(2) == {"a": 1}'],
  ['go', 'f([1, 2]) == 3'],
])('are none in the notation of another language than %s: %s', async (language, request) => {
  expect(await write(language, request)).toBe('');
});
