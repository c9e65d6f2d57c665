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
  expect(unshown(`f(x) multiplies. ${sentence} f(1) == 60`)).toContain(
    `: ${JSON.stringify(sentence)}`,
  );
});

it.each([
  'f(x) multiplies a number. f(1) == 60',
  'It multiplies by 60 up to 1,000, and gives 20 % above. f(1) == 60',
  'It takes negative numbers, too. f(-1) == -60',
  'An empty list must give []. f([]) == []',
  'Text must raise a TypeError. f("a") raises TypeError',
  'All examples must pass: f(1) == 60. My tests must pass, too.',
])('examples show all of: %s', (request) => {
  expect(unshown(request)).toBeUndefined();
});

it.each([
  ['cost', 'It has to run in linear time.'],
  ['cost', 'Our logs have 250000 lines.'],
  ['laziness', 'The source may be endless.'],
  ['concurrency', 'It must be safe for concurrent use by many goroutines.'],
  ['arguments and shared data', 'The result shares no list with the argument.'],
  ['resources', 'The cursor is closed whatever happens.'],
  ['security', 'Paths come from users.'],
  ['exactness for all sizes', 'Return the exact sum.'],
  ['kinds of text', 'Letters with accents count as one.'],
  ['time', 'Entries expire after a minute.'],
  ['order', 'Equal ones keep the order they came in.'],
  ['repeated calls', 'The function is called once for a key.'],
  ['errors on their way', 'All other errors propagate.'],
  ['types and text of the code', 'The compiler infers the type.'],
  ['what does not happen', 'Looking at an entry does not count.'],
  ['every case', 'This holds for any text.'],
  ['another language', 'Die Liste wird in linearer Zeit sortiert.'],
  ['another language', 'Список не меняется.'],
  ['what may happen', 'Values might arrive late.'],
  ['a standard elsewhere', 'Dates are written as in ISO 8601.'],
])('no test is believed to show %s: %s', (kind, sentence) => {
  const checks = `test(${JSON.stringify(sentence)}, () => assert.deepEqual(f([1, 2]), [2, 1]))`;
  const said = `what results of calls cannot show (${kind}): ${JSON.stringify(sentence)}`;
  expect(unshown(sentence, { kind: 'tests', checks })).toBe(said);
});

it('a first sentence after the examples is a claim beyond them', () => {
  const sentence = 'Odd numbers are rounded down.';
  expect(unshown(`f(1) == 60, f(2) == 120. ${sentence}`)).toContain(sentence);
  expect(unshown(`${sentence} f(1) == 60`)).toBeUndefined();
});

it('kept arguments are checked beside examples; what else the sentence demands is not', () => {
  const sentence = 'Do not change the list, and run in linear time.';
  expect(unshown(sentence, { areArgumentsKept: true })).toContain('cannot show (cost)');
});

it.each([
  'Numbers are aligned to the right.',
  'A missing value is shown as a star.',
  'Units come in this order, each at most once.',
  'What is not a number throws a RangeError.',
  'It throws if the sizes do not fit.',
])('tests can show: %s', (sentence) => {
  const checks = `test(${JSON.stringify(sentence)}, () => assert.deepEqual([f(1), f('2')], [3, '4', RangeError]))`;
  expect(unshown(sentence, { kind: 'tests', checks })).toBeUndefined();
});

it('tests are searched for what a sentence is about', () => {
  const kind = 'tests';
  expect(unshown('It takes an integer.', { kind, checks: 'f(1) == 60' })).toBeUndefined();
  const other = 'When full, the oldest entry makes room.';
  expect(unshown(other, { kind, checks: 'assert.equal(f(3), 4)' })).toContain(other);
  const named = "test('the oldest entry goes when full', () => assert.equal(f(3), 4))";
  expect(unshown(other, { kind, checks: named })).toBeUndefined();
  const error = 'It raises a TypeError for text.';
  expect(unshown(error, { kind, checks: 'f(1) == 2, raises an error for text' })).toContain(error);
  expect(unshown(error, { kind, checks: 'pytest.raises(TypeError): f("a")' })).toBeUndefined();
  const limit = 'f(x) takes at most 64 of them.';
  expect(unshown(limit, { kind, checks: 'f(164) == 1' })).toContain(limit);
  expect(unshown(limit, { kind, checks: 'f(64) == 1' })).toBeUndefined();
  expect(unshown('f(x) has a-z and 0-9.', { kind, checks: 'f(1) == "a", f(2)' })).toBeUndefined();
});

it('tests have to use the functions, values and signs that a sentence names, not only speak of them', () => {
  const kind = 'tests';
  const values = "assert.equal(f('a'), 1); assert.equal(f('b'), 2);";
  const used = {
    kind,
    checks: `${values} stack.peek(undefined, '+', '*', 'a,b', { ignoreCase: '' });`,
  } as const;
  for (const sentence of [
    'peek() gives the top.',
    'The result is undefined.',
    'Signs: + and *',
    'Commas split.',
  ]) {
    const inName = { kind, checks: `test(${JSON.stringify(sentence)}, () => { ${values} })` };
    expect(unshown(sentence, inName as Partial<Shown>)).toContain(sentence);
    expect(unshown(sentence, used)).toBeUndefined();
  }
});

it('tests need the more values, the more a request says', () => {
  const request = 'Sort words, glue them together, drop empty ones, and shorten long words.';
  const checks = 'words: sort, glue together, drop empty, shorten; f("") == ""';
  const missing = 'tests of yours with 6 different inputs and results; these have 1';
  expect(unshown(request, { kind: 'tests', checks })).toBe(missing);
  const more = `${checks}; f("a") == "b"; f("c d") == "c-d"; f("e")`;
  expect(unshown(request, { kind: 'tests', checks: more })).toBeUndefined();
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
