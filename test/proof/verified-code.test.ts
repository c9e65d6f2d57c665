import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compiledGenerations } from '../data/generations/compiled-generations.ts';
import { badGenerations, goodGenerations, type Generation } from '../data/generations/index.ts';
import { isCi, isProof, sampleSeeded } from '../../testkit/sample.ts';
import { bubblewrapMissing, whyNoBubblewrap } from '../../testkit/sandbox/this-machine.ts';
import {
  aGenerationCall,
  openVerifiedGeneration,
  type VerifiedGeneration,
} from '../support/verified-generation.ts';

const limitMs = isProof ? 3_600_000 : 300_000;
const sampledBad = 8;
/** A loop takes all of its time limit, in CPU time too. */
const suiteWallMs = isProof ? 10_000 : 4_000;

let checks: VerifiedGeneration;

beforeAll(() => {
  if (!bubblewrapMissing) checks = openVerifiedGeneration(suiteWallMs);
});
afterAll(() => checks?.close());

/** Languages whose toolchain is not installed are left out; in CI all are. */
async function runnable<Program extends Pick<Generation, 'language'>>(
  generations: readonly Program[],
): Promise<Program[]> {
  const hasGo = await checks.hasToolchain('go');
  const hasPytest = await checks.hasToolchain('python:pytest');
  if (isCi) expect({ hasGo, hasPytest }).toEqual({ hasGo: true, hasPytest: true });
  return generations.filter(
    ({ language }) => (language !== 'go' || hasGo) && (language !== 'python' || hasPytest),
  );
}

async function isSelfTested({ language, code, tests }: Generation): Promise<boolean> {
  const generation = checks.withModel([{ code, tests }]);
  const input = { description: 'as the tests say', language, style: 'pep8' };
  const { level, missing, verified, evidence } = await generation.generateCode(
    input,
    aGenerationCall(),
  );
  // The author's own tests are never a reason to call code verified.
  expect({ verified, missing }).toEqual({ verified: false, missing: expect.any(String) });
  expect(level).not.toBe('verified');
  if (level !== 'self_tested') expect(evidence.notes).not.toEqual([]);
  return level === 'self_tested';
}

async function namesOfSelfTested(generations: readonly Generation[]): Promise<string[]> {
  const names: string[] = [];
  for (const generation of generations) {
    if (await isSelfTested(generation)) names.push(generation.name);
  }
  return names;
}

it('there are at least 200 bad generations, in four languages', () => {
  const all = badGenerations();
  expect(all.length).toBeGreaterThanOrEqual(200);
  expect(new Set(all.map(({ language }) => language))).toEqual(
    new Set(['python', 'javascript', 'typescript', 'go']),
  );
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
});

// Needs bubblewrap; in CI it must work.
describe.skipIf(bubblewrapMissing)(`what is called self-tested${whyNoBubblewrap}`, () => {
  it(
    'is none of the generations that a check can show to be bad',
    async () => {
      const bad = await runnable(sampleSeeded(cheapFirst(badGenerations()), sampledBad));
      const found = await namesOfSelfTested(bad);
      console.log(`${found.length} of ${bad.length} bad generations were called self-tested`);
      expect(found).toEqual([]);
    },
    limitMs,
  );

  it(
    'is every generation whose code is right and whose tests show it',
    async () => {
      const good = await runnable(isProof ? goodGenerations() : onePerLanguage(goodGenerations()));
      const found = await namesOfSelfTested(good);
      console.log(`${found.length} of ${good.length} good generations were called self-tested`);
      expect(found).toEqual(good.map(({ name }) => name));
    },
    limitMs,
  );
});

interface Case {
  readonly id: string;
  readonly language: Generation['language'];
  readonly request: string;
  readonly user_tests?: string;
  readonly code: string;
  readonly test_code: string;
  readonly quality: 'good' | 'weak' | 'bad';
  readonly half?: 'read' | 'away';
}

/** Programs with their tests; README.md beside them says who wrote them and how they are judged. */
const readLists = ['cases', 'well-tested', 'well-tested-held-out', 'fresh', 'fresh-2'];
/** Of the newest lists one half was not read: what is counted of it says what to expect of others. */
const halfReadLists = ['fresh-3', 'fresh-4'];
const cases: readonly Case[] = [
  ...readLists.flatMap(casesOf),
  ...halfReadLists.flatMap(casesOf).filter(({ half }) => half === 'read'),
];

function casesOf(list: string): readonly Case[] {
  const file = join(import.meta.dirname, `../data/generations/${list}.json`);
  return JSON.parse(readFileSync(file, 'utf8'));
}
const sampledCases = { good: 6, weak: 12, bad: 6 };

async function levelsOf(quality: Case['quality']): Promise<string[]> {
  const all = cases.filter((one) => one.quality === quality);
  const cheap = isProof ? all : all.filter(({ language }) => language !== 'go');
  const levels: string[] = [];
  for (const one of await runnable(sampleSeeded(cheap, sampledCases[quality]))) {
    const generation = checks.withModel([{ code: one.code, tests: one.test_code }]);
    const given = one.user_tests === undefined ? {} : { tests: one.user_tests };
    const input = { description: one.request, language: one.language, style: 'pep8', ...given };
    const { level } = await generation.generateCode(input, aGenerationCall());
    levels.push(level ?? 'none');
  }
  console.log(
    quality,
    Object.groupBy(levels, (level) => level),
  );
  return levels;
}

function share(levels: readonly string[], ...wanted: string[]): number {
  return levels.filter((level) => wanted.includes(level)).length / levels.length;
}

// Needs bubblewrap; in CI it must work.
describe.skipIf(bubblewrapMissing)(`programs of strangers${whyNoBubblewrap}`, () => {
  it(
    'are never verified when they are wrong',
    async () => {
      expect(share(await levelsOf('bad'), 'verified')).toBe(0);
    },
    limitMs,
  );

  it(
    'are hardly ever called self-tested when their tests prove little',
    async () => {
      const levels = await levelsOf('weak');
      expect(share(levels, 'verified')).toBe(0);
      // Of a dozen, two may be: the limit is for all of them.
      expect(share(levels, 'self_tested')).toBeLessThanOrEqual(isProof ? 0.1 : 0.17);
    },
    limitMs,
  );

  it(
    'are nearly always at least self-tested when they are good',
    async () => {
      expect(share(await levelsOf('good'), 'self_tested', 'verified')).toBeGreaterThanOrEqual(0.95);
    },
    limitMs,
  );
});

/** Code that passes the examples of its request once, and is not shown to be what the request says. */
const beyondExamples = [
  {
    what: 'is wrong when it is called again',
    code: 'const hex = /^[0-9a-f]+$/g;\n\nexport function isHex(text) {\n  return hex.test(text);\n}\n',
    examples: ['isHex("ff") === true', 'isHex("g") === false', 'isHex("0a") === true'],
    said: 'the second time: false',
  },
  {
    what: 'changes what has to stay',
    code: 'export function top(list) {\n  return list.sort((a, b) => b - a)[0] ?? null;\n}\n',
    examples: ['top([1, 30]) === 30', 'top([]) === null', 'top([5, 7, 6]) === 7'],
    sentence: 'Do not change the list.',
    said: 'it changes its arguments',
  },
  {
    what: 'sorts numbers as text',
    code: 'export function least(list) {\n  return [...list].sort()[0];\n}\n',
    examples: ['least([3, 1]) === 1', 'least([9, 4]) === 4', 'least([7, 5, 6]) === 5'],
    said: 'least: "[...list].sort()" became "[...list].sort((a, b) => a - b)"',
  },
  {
    what: 'follows the locale of the machine',
    code: 'export function count(n) {\n  return n.toLocaleString();\n}\n',
    examples: ['count(1234) === "1,234"', 'count(12) === "12"', 'count(98765) === "98,765"'],
    said: 'The tests do not pass with another environment',
  },
  {
    what: 'takes a zero for nothing',
    code: 'export function size(box) {\n  return (box.size || 10) * 2;\n}\n',
    examples: ['size({}) === 20', 'size({ size: 4 }) === 8', 'size({ size: 7 }) === 14'],
    said: 'size: "box.size || 10" became "(box.size ?? 10)"',
  },
  {
    what: 'is said to do more things than there are examples',
    code: 'export function tag(text) {\n  return `#${text.trim().toLowerCase()}`;\n}\n',
    examples: ['tag(" A ") === "#a"', 'tag("Bc") === "#bc"', 'tag("d e") === "#d e"'],
    sentence:
      'Spaces around words are removed, capital letters become small, and doubled ones stay.',
    said: 'or 4 examples; the request has 3',
  },
  {
    what: 'has to do more than they show',
    code: 'export function half(n) {\n  return n / 2;\n}\n',
    examples: ['half(8) === 4', 'half(6) === 3', 'half(30) === 15'],
    sentence: 'The result is exact.',
    said: 'what results of calls cannot show (exactness for all sizes): "The result is exact."',
  },
  {
    what: 'has another sentence without an example',
    code: 'export function half(n) {\n  return n / 2;\n}\n',
    examples: ['half(8) === 4', 'half(6) === 3', 'half(30) === 15'],
    sentence: 'Odd numbers are rounded down.',
    said: 'examples of yours that show: "Odd numbers are rounded down."',
  },
];

describe.skipIf(bubblewrapMissing)(`code that passes the examples${whyNoBubblewrap}`, () => {
  it.for(beyondExamples)(
    'is not verified when it $what',
    { timeout: limitMs },
    async ({ code, examples, sentence = '', said }) => {
      const tests = [
        "import assert from 'node:assert/strict';\nimport { test } from 'node:test';",
        `import { ${/function (\w+)/.exec(code)?.[1]} } from './solution.mjs';`,
        ...examples.map((one, index) => `test('${index}', () => assert.ok(${one}));`),
      ].join('\n');
      const generation = checks.withModel([{ code, tests }]);
      const description = `${examples.join(', ')}. ${sentence}`;
      const input = { description, language: 'javascript', style: 'standard' } as const;
      const { level, missing, evidence } = await generation.generateCode(input, aGenerationCall());
      expect(level).not.toBe('verified');
      expect(`${missing}\n${evidence.notes.join('\n')}`).toContain(said);
    },
  );
});

// Each mutant of these is compiled by itself. Needs bubblewrap.
describe.skipIf(bubblewrapMissing)(`compiled languages${whyNoBubblewrap}`, () => {
  const compiled = compiledGenerations.filter(({ kind }) => isProof || kind === 'good');
  it.for(compiled.map((one) => [one.language, one.kind, one] as const))(
    'in %s, tests that are %s are told from others',
    { timeout: limitMs },
    async ([language, kind, { code, tests }], context) => {
      context.skip(!(await checks.hasToolchain(language)), `there is no toolchain for ${language}`);
      const input = { description: 'as the tests say', language, style: 'pep8' };
      const generation = checks.withModel([{ code, tests }]);
      const { level, evidence } = await generation.generateCode(input, aGenerationCall());
      const notRun = evidence.notes.find((note) => note.startsWith('The tests were not run'));
      context.skip(notRun !== undefined, notRun);
      expect({ level, notes: evidence.notes }).toMatchObject({
        level: kind === 'good' ? 'self_tested' : 'built',
      });
      expect(evidence.mutants?.planted).toBeGreaterThanOrEqual(5);
    },
  );
});

/** The sample leaves out what only takes long: loops, and Go, of which each run compiles for seconds. */
function cheapFirst(generations: readonly Generation[]): readonly Generation[] {
  if (isProof) return generations;
  const go = generations.filter(({ language }) => language === 'go');
  const others = generations.filter(
    ({ language, kind }) => language !== 'go' && !kind.includes('endless'),
  );
  return [...others, ...sampleSeeded(go, 8)];
}

function onePerLanguage(generations: readonly Generation[]): readonly Generation[] {
  return [...new Map(generations.map((one) => [one.language, one])).values()];
}
