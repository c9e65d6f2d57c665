import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { badGenerations, goodGenerations, type Generation } from '../data/generations/index.ts';
import { isCi, isProof, sampleSeeded } from '../support/sample.ts';
import { bubblewrapMissing, whyNoBubblewrap } from '../support/sandbox/this-machine.ts';
import {
  aGenerationCall,
  openVerifiedGeneration,
  type VerifiedGeneration,
} from '../support/verified-generation.ts';

const limitMs = isProof ? 3_600_000 : 300_000;
const sampledBad = 16;
/** A loop takes all of its time limit, in CPU time too. */
const suiteWallMs = isProof ? 10_000 : 4_000;

let checks: VerifiedGeneration;

beforeAll(() => {
  if (!bubblewrapMissing) checks = openVerifiedGeneration(suiteWallMs);
});
afterAll(() => checks?.close());

/** Languages whose toolchain is not installed are left out; in CI all are. */
async function runnable(generations: readonly Generation[]): Promise<Generation[]> {
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
