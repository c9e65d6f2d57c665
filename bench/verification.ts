import { goodGenerations, type Generation } from '../test/data/generations/index.ts';
import { openSandboxedExec } from '../test/support/sandboxed-tests.ts';
import { aGenerationCall, openVerifiedGeneration } from '../test/support/verified-generation.ts';
import { bubblewrapMissing } from '../testkit/sandbox/this-machine.ts';
import { compare, type Comparison } from './measure.ts';

const rounds = 3;
const languages = ['python', 'javascript', 'typescript', 'go'] as const;
/** The tests run about twenty to fifty times, mostly in one sandbox; that took up to 6.5 times as long as one run when the limit was set. */
const limit = 10;

/** All checks of a small function with its tests, beside one plain run of the tests in the same sandbox. */
export async function measureVerification(): Promise<Comparison[]> {
  if (bubblewrapMissing) return [];
  const checks = openVerifiedGeneration();
  const exec = openSandboxedExec([]);
  const results: Comparison[] = [];
  try {
    for (const language of languages) {
      const small = goodGenerations().findLast((one) => one.language === language);
      if (!small) continue;
      const verify = (): Promise<void> => verifyOnce(checks, small);
      const runTests = async (): Promise<void> => {
        await exec.server.callTool('run_tests', plainRun(small), aGenerationCall());
      };
      const [ours, base] = await compare(verify, runTests, rounds);
      const name = `verifying a small function, ${language}`;
      results.push({ name, floor: 'its tests, run once', limit, unit: 'ms', ours, base });
    }
  } finally {
    await Promise.all([checks.close(), exec.close()]);
  }
  return results;
}

async function verifyOnce(
  checks: ReturnType<typeof openVerifiedGeneration>,
  { language, code, tests }: Generation,
): Promise<void> {
  const input = { description: 'as the tests say', language, style: 'pep8' };
  const generation = checks.withModel([{ code, tests }]);
  const { level } = await generation.generateCode(input, aGenerationCall());
  if (level !== 'self_tested') throw new Error(`${language}: ${level} is not self_tested`);
}

const files = {
  python: ['pytest', 'solution.py', 'test_solution.py'],
  javascript: ['node', 'solution.mjs', 'solution.test.mjs'],
  typescript: ['node', 'solution.ts', 'solution.test.ts'],
  go: ['go', 'solution.go', 'solution_test.go'],
} as const;

function plainRun({ language, code, tests }: Generation): object {
  const [framework, codeFile, testFile] = files[language as keyof typeof files];
  const extra = language === 'go' ? { 'go.mod': 'module solution\n\ngo 1.19\n' } : {};
  return { files: { ...extra, [codeFile]: code, [testFile]: tests }, framework, coverage: false };
}

if (import.meta.main) console.table(await measureVerification());
