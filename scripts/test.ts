/**
 * Runs all tests with coverage, or with `--fast` the unit tests of `src` without; ends with one line that counts them.
 * Files that failed run once more, alone: what needed an idle machine passes then, and is named.
 */
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync, rmSync } from 'node:fs';
import { relative } from 'node:path';
import { z } from 'zod';

/** More failed files than this are not an accident of load. */
const maxRepeatedFiles = 5;
const minCoveredLines = 90;
/** Unit tests wait for processes and clocks more than half of the time: two processors are busy with five. */
const fastWorkers = 5;
const isProof = process.env['TUTTI_PROOF'] === '1';
const isFast = process.argv[2] === '--fast';
const args = process.argv.slice(isFast ? 3 : 2);
const first = runTests('coverage/results.json', [...selection(), ...args]);
const failedFiles = first.failedFiles.map((file) => relative(process.cwd(), file));
let { exitCode, passed, failed } = first;
let note = '';
if (failed > 0 && failedFiles.length <= maxRepeatedFiles && exitCode === 1) {
  console.log(`\nOnce more, alone: ${failedFiles.join(', ')}`);
  const again = runTests('coverage/results-alone.json', [...failedFiles, '--maxWorkers=1']);
  if (again.failed === 0 && again.passed > 0) {
    exitCode = isCovered() ? again.exitCode : 1;
    passed += failed;
    note = `; ${failed} of them only when run alone: ${failedFiles.join(', ')}`;
    failed = 0;
  }
}
const skipped = first.skipped > 0 ? `, ${first.skipped} skipped` : '';
console.log(`${passed} passed, ${failed} failed${skipped}${note}`);
process.exitCode = exitCode;

/** A proof repeats the long tests at full length; the coverage of the short run is the one that counts. */
function selection(): string[] {
  if (isFast) return ['--project=units', `--maxWorkers=${fastWorkers}`];
  if (isProof) return findSampled();
  if (hasAllPackages()) return ['--coverage', `--coverage.thresholds.lines=${minCoveredLines}`];
  console.log('System packages are missing, so tests are skipped and the coverage is not judged.');
  return ['--coverage'];
}

/** Whether the Debian packages are there that the tests need. */
function hasAllPackages(): boolean {
  const list = readFileSync('test/system-packages.txt', 'utf8');
  const names = list.split('\n').flatMap((line) => /^[^#\s]+/.exec(line) ?? []);
  const query = ['-W', '-f', '${db:Status-Status}\n', ...names];
  const { status, stdout } = spawnSync('dpkg-query', query, { encoding: 'utf8' });
  return (
    status === 0 &&
    stdout
      .trim()
      .split('\n')
      .every((state) => state === 'installed')
  );
}

/** Tests that do less than all of their work unless they are to prove something. */
function findSampled(): string[] {
  return globSync('{src,test}/**/*.test.ts').filter((file) =>
    /\b(?:isProof|sampleSeeded)\b/.test(readFileSync(file, 'utf8')),
  );
}

/** Of a run with failures vitest writes the coverage, but judges it in its exit code alone. */
function isCovered(): boolean {
  if (!selection().some((option) => option.includes('thresholds'))) return true;
  const summary = JSON.parse(readFileSync('coverage/coverage-summary.json', 'utf8'));
  const { pct } = z
    .object({ total: z.object({ lines: z.object({ pct: z.number() }) }) })
    .parse(summary).total.lines;
  if (pct < minCoveredLines) console.log(`Only ${pct} % of the lines are covered.`);
  return pct >= minCoveredLines;
}

interface TestRun {
  readonly exitCode: number;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly failedFiles: readonly string[];
}

function runTests(resultFile: string, options: readonly string[]): TestRun {
  rmSync(resultFile, { force: true });
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${resultFile}`];
  const { status } = spawnSync('vitest', ['run', ...options, ...reporters], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const result = z
    .object({
      numPassedTests: z.number(),
      numFailedTests: z.number(),
      numPendingTests: z.number(),
      testResults: z.array(z.object({ name: z.string(), status: z.string() })),
    })
    .parse(JSON.parse(readFileSync(resultFile, 'utf8')));
  return {
    exitCode: status ?? 1,
    passed: result.numPassedTests,
    failed: result.numFailedTests,
    skipped: result.numPendingTests,
    failedFiles: result.testResults
      .filter((file) => file.status === 'failed')
      .map((file) => file.name),
  };
}
