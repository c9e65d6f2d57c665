import { describe, expect, it } from 'vitest';
import { type ParsedLanguage } from '../language.ts';
import { readExamples } from './read-examples.ts';

const python = 'def f(x):\n    return x\n';

function read(request: string, language: ParsedLanguage = 'python', code = python): string[] {
  return readExamples(request, { language, code }).map(
    ({ calls, expected }) =>
      `${calls.join(' | ')} ${expected.kind} ${expected.kind === 'value' ? expected.text : expected.name}`,
  );
}

describe('examples of a request', () => {
  it.each<[string, string[]]>([
    ['Write f so that f(2) == 4.', ['f(2) value 4']],
    ['`f("a, b")` should return `["a", "b"]`', ['f("a, b") value ["a", "b"]']],
    ['f(1) -> 2, f(2) => 3 and f(3) → 4', ['f(1) value 2', 'f(2) value 3', 'f(3) value 4']],
    ['f([2, 1]) // [1, 2]\nf(0) // => 1', ['f([2, 1]) value [1, 2]', 'f(0) value 1']],
    ['>>> f([1, 2])\n3\n', ['f([1, 2]) value 3']],
    ['f(-1) raises ValueError', ['f(-1) error ValueError']],
    ['It returns [] for empty input.', ['f([]) | f("") | f({}) value []']],
    ['For an empty list it returns 0.', ['f([]) value 0']],
    ['f("x") is None', ['f("x") value None']],
    ['f((1, 2)) = (2, 1)', ['f((1, 2)) value (2, 1)']],
  ])('are found in %s', (request, found) => {
    expect(read(request)).toEqual(found);
  });

  it.each([
    'Write f(x) that returns the double of x.',
    'g(2) == 4',
    'f(n) is a list',
    'f(date(2024, 1, 1)) == 3',
    'f(2) == f(3)',
    'f(2) == [][]int{{1}, {2}}',
    'f(2) == [1] * 3',
    'f(2',
  ])('are not seen in %s', (request) => {
    expect(read(request)).toEqual([]);
  });

  it('may make objects and call their methods', () => {
    const code = 'export class Duration { toString() { return ""; } }\n';
    expect(read("new Duration(3661).toString() === '1:01:01'", 'javascript', code)).toEqual([
      "new Duration(3661).toString() value '1:01:01'",
    ]);
  });
});
