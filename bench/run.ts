/** Runs every benchmark, prints one table, writes RESULTS.md, ends with 1 when a limit is exceeded. */
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { measureAudit } from './audit.ts';
import { measureCalls } from './calls.ts';
import { comparisonTable, isExceeded } from './comparison-table.ts';
import { measureColdAsk } from './cold-ask.ts';
import { measureColdReview } from './cold-review.ts';
import { measureFormatting, measureReview } from './engines.ts';
import { measureFindTools } from './find-tools.ts';
import { measureFleetStart } from './fleet-start.ts';
import { measureLargeFleet } from './large-fleet.ts';
import type { Comparison } from './measure.ts';
import { measureVerification } from './verification.ts';
import { measureFirstList, measureHelp, measureIdleMemory } from './start-up.ts';

const results: Comparison[] = [
  await measureHelp(),
  await measureFirstList(),
  ...(await measureFleetStart()),
  ...(await measureLargeFleet()),
  ...(await measureFormatting()),
  ...(await measureReview()),
  ...measureColdReview(),
  ...measureColdAsk(),
  ...(await measureCalls()),
  ...(await measureAudit()),
  await measureIdleMemory(),
  ...(await measureFindTools()),
  ...(await measureVerification()),
];

const table = comparisonTable(results);
console.log(table);
writeFileSync(
  'bench/RESULTS.md',
  `# Results of the last \`make bench\`\n\nNode ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}. Medians; ours and the floor measured in turns.\n\n${table}\n`,
);
if (results.some(isExceeded)) process.exitCode = 1;
