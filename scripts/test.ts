/** Runs all tests with coverage, or with `--fast` the unit tests of `src` without; ends with one line that counts them. */
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync, rmSync } from 'node:fs';
import { z } from 'zod';

const resultFile = 'coverage/results.json';
const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${resultFile}`];
rmSync(resultFile, { force: true });
const isProof = process.env['TUTTI_PROOF'] === '1';
const isFast = process.argv[2] === '--fast';
/** They measure time on huge inputs, or look at the state of a process that must run nothing else. */
const notFast = [
  '**/hostile-*.test.ts',
  'cli/compile-nothing.test.ts',
  'fleet/running-call.test.ts',
  'gateway/call-garbage.test.ts',
];
const run = spawnSync(
  'vitest',
  ['run', ...selection(), ...reporters, ...process.argv.slice(isFast ? 3 : 2)],
  { stdio: ['ignore', 'inherit', 'inherit'] },
);

/**
 * A proof repeats the long tests at full length; the coverage of the short run is the one that counts. The fast run shares
 * modules between test files, which takes 40 % less CPU.
 */
function selection(): string[] {
  if (isFast) return ['src', '--no-isolate', ...notFast.map((glob) => `--exclude=src/${glob}`)];
  if (isProof) return findSampled();
  if (hasAllPackages()) return ['--coverage'];
  console.log('System packages are missing, so tests are skipped and the coverage is not judged.');
  return ['--coverage', '--coverage.thresholds.lines=0'];
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

const counts = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  numPendingTests: z.number(),
  numFailedTestSuites: z.number(),
});
const result = counts.parse(JSON.parse(readFileSync(resultFile, 'utf8')));
const skipped = result.numPendingTests > 0 ? `, ${result.numPendingTests} skipped` : '';
console.log(`${result.numPassedTests} passed, ${result.numFailedTests} failed${skipped}`);
process.exitCode = run.status ?? 1;
