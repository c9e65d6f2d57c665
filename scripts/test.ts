/** Runs all tests with coverage and ends with one line that counts them. */
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync, rmSync } from 'node:fs';
import { z } from 'zod';

const resultFile = 'coverage/results.json';
rmSync(resultFile, { force: true });
const isProof = process.env['TUTTI_PROOF'] === '1';
const run = spawnSync(
  'vitest',
  [
    'run',
    // A proof repeats the long tests at full length; the coverage of the short run is the one that counts.
    ...(isProof ? findSampled() : ['--coverage']),
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${resultFile}`,
    ...process.argv.slice(2),
  ],
  { stdio: ['ignore', 'inherit', 'inherit'] },
);

/** Tests that do less than all of their work unless they are to prove something. */
function findSampled(): string[] {
  return globSync('test/**/*.test.ts').filter((file) =>
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
