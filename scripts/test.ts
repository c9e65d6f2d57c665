/** Runs all tests with coverage and ends with one line that counts them. */
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { z } from 'zod';

const resultFile = 'coverage/results.json';
rmSync(resultFile, { force: true });
const isProof = process.env['TUTTI_PROOF'] === '1';
const run = spawnSync(
  'vitest',
  [
    'run',
    // A proof repeats the long tests at full length; the coverage of the short run is the one that counts.
    ...(isProof
      ? [
          'test/proof',
          'test/hostile-tools',
          'test/conformance-gateway',
          'test/sandbox-',
          'test/restate-',
        ]
      : ['--coverage']),
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${resultFile}`,
    ...process.argv.slice(2),
  ],
  { stdio: ['ignore', 'inherit', 'inherit'] },
);

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
