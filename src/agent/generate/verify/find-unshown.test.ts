import { expect, it } from 'vitest';
import {
  countClauses,
  findState,
  findUnshown,
  proseOf,
  type Shown,
  wantsArgumentsKept,
} from './find-unshown.ts';
import { readExamples } from './read-examples.ts';

const code = 'def f(x):\n    return x * 60 if x < 1000 else 0.2\n';

function unshown(request: string, known: Partial<Shown> = {}): string | undefined {
  const examples = readExamples(request, { language: 'python', code });
  const checks = examples.map(({ text }) => text).join('\n');
  const shown = { kind: 'examples', checks, code, areArgumentsKept: false, ...known } as const;
  return findUnshown(proseOf(request, examples), shown);
}

it.each([
  'It must work for zero.',
  'Equal ones keep their order.',
  'It is safe for concurrent use.',
  'Do not use recursion.',
  'The result is exact for large numbers.',
  'It takes any integer.',
  'Mind that 1h30m means ninety minutes.',
  'The text "a b" is left alone.',
  'NaN counts as one value.',
  'It is right for all whole numbers.',
  'Think of math.MaxInt64.',
  'Runs in O(n).',
  'A rate of 0 means none.',
  'It must raise a TypeError for text.',
  'An empty list must give nothing.',
])('examples do not show: %s', (sentence) => {
  expect(unshown(`f(x) multiplies. ${sentence} f(1) == 60`)).toBe(sentence);
});

it.each([
  'f(x) multiplies a number. f(1) == 60',
  'It multiplies by 60 up to 1,000, and gives 20 % above. f(1) == 60',
  'It never fails for negative numbers. f(-1) == -60',
  'An empty list must give []. f([]) == []',
  'Text must raise a TypeError. f("a") raises TypeError',
  'All examples must pass: f(1) == 60. My tests must pass, too.',
])('examples show all of: %s', (request) => {
  expect(unshown(request)).toBeUndefined();
});

it('tests are searched for the words of a sentence', () => {
  const kind = 'tests';
  const sentence = 'It must be safe for concurrent use by many goroutines.';
  expect(unshown(sentence, { kind, checks: 'c.Inc("a"); c.Get("a")' })).toBe(sentence);
  const checks = 'func TestConcurrentUse(t *testing.T) { // many goroutines\n';
  expect(unshown(sentence, { kind, checks })).toBeUndefined();
  expect(unshown('It takes any integer.', { kind, checks: '' })).toBeUndefined();
  const other = 'When full, the least recently used entry is evicted (reading counts as use).';
  expect(unshown(other, { kind, checks: 'assert.equal(cache.size, 3)' })).toBe(other);
  const named = "test('evicts the least used entry when full')";
  expect(unshown(other, { kind, checks: named })).toBeUndefined();
  const error = 'It raises a TypeError for text.';
  expect(unshown(error, { kind, checks: 'raises an error for text' })).toBe(error);
  expect(unshown(error, { kind, checks: 'pytest.raises(TypeError)' })).toBeUndefined();
  const limit = 'f(x) takes at most 64 of them.';
  expect(unshown(limit, { kind, checks: 'f(164)' })).toBe(limit);
  expect(unshown(limit, { kind, checks: 'f(64)' })).toBeUndefined();
  expect(unshown('f(x) keeps a-z and 0-9.', { kind, checks: 'f(x)' })).toBeUndefined();
});

it.each([
  ['The list must not be changed.', true],
  ["Don't change the array.", true],
  ['It sorts without modifying its argument.', true],
  ['The input stays unchanged.', true],
  ['Returns a new list.', true],
  ['Changes the list in place.', false],
  ['Counts the changes.', false],
])('%s', (request, expected) => {
  expect(wantsArgumentsKept(request)).toBe(expected);
  if (expected) expect(unshown(request, { areArgumentsKept: true })).toBeUndefined();
});

it.each<[string, string | undefined]>([
  ['_cache: dict[int, int] = {}\n\ndef f(x):\n    _cache[x] = 1\n', '_cache'],
  ['total = 0\n\ndef f(x):\n    global total\n    total += x\n', 'total'],
  ['def f(x, seen=[]):\n    return seen\n', 'seen'],
  ['let last = 0;\nexport function f(x) {\n  last = x;\n}\n', 'last'],
  ['const known = new Map();\nexport function f(x) {\n  known.set(x, 1);\n}\n', 'known'],
  ['var count int = 0\n\nfunc F() int {\n\tcount++\n}\n', 'count'],
  ['RATES = {"usd": 1}\n\ndef f(x):\n    return RATES[x] == 1\n', undefined],
  ['const f = (x) => x;\nconst last = 1;\nfunction g() {\n  const last = 2;\n}\n', undefined],
  ['def f(x=()):\n    seen = []\n    seen.append(x)\n', undefined],
])('state between the calls of %j: %s', (text, name) => {
  expect(findState(text)).toBe(name);
});

it.each([
  ['Write a function that computes fibonacci numbers.', 2],
  [
    'f(x) drops duplicates, ignoring case, and keeps the first spelling; empty ones are left out.',
    4,
  ],
  ['', 0],
])('%s says so many things: %i', (request, clauses) => {
  expect(countClauses(request)).toBe(clauses);
});
