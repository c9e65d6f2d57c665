/** Runs every benchmark, prints one table, writes RESULTS.md, ends with 1 when a limit is exceeded. */
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { measureCalls } from './calls.ts';
import { measureFormatting, measureReview } from './engines.ts';
import { measureFindTools } from './find-tools.ts';
import { measureFleetStart } from './fleet-start.ts';
import type { Comparison } from './measure.ts';
import { measureFirstList, measureHelp, measureIdleMemory } from './start-up.ts';

const results: Comparison[] = [
  await measureHelp(),
  await measureFirstList(),
  ...(await measureFleetStart()),
  ...(await measureFormatting()),
  ...(await measureReview()),
  ...(await measureCalls()),
  await measureIdleMemory(),
  ...(await measureFindTools()),
];

const rows = results.map((it) => {
  const ratio = it.ours / it.base;
  const digits = it.ours < 10 ? 3 : 1;
  return [
    it.name,
    `${it.ours.toFixed(digits)} ${it.unit}`,
    it.floor === '–' ? '–' : `${it.base.toFixed(digits)} ${it.unit} (${it.floor})`,
    it.floor === '–' ? '–' : ratio.toFixed(2),
    it.limit === Infinity ? '–' : `≤ ${it.limit}`,
    ratio <= it.limit ? 'holds' : 'EXCEEDED',
  ];
});
const header = ['what', 'ours', 'floor', 'ratio', 'limit', ''];
const table = [header, header.map(() => '---'), ...rows]
  .map((row) => `| ${row.join(' | ')} |`)
  .join('\n');
console.log(table);
writeFileSync(
  'bench/RESULTS.md',
  `# Results of the last \`make bench\`\n\nNode ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}. Medians; ours and the floor measured in turns.\n\n${table}\n`,
);
if (results.some((it) => it.ours / it.base > it.limit)) process.exitCode = 1;
