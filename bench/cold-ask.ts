import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bin } from './list-tools.ts';
import { medianUsage, usageOf, type Comparison } from './measure.ts';

const rounds = 7;
const maxCpuMs = 1_200;
/** GNU time counts hundredths of a second, of which one start takes two or three. */
const startTenNodes =
  "for (let i = 1; i < 10; i += 1) child_process.spawnSync(process.execPath, ['-e', '0'])";
/** Two that run a tool, one that shows its plan and ends. */
const requests = [
  ['review orders.py', '--yes'],
  ['find secrets in this repo', '--yes'],
  ['format orders.py', '--plan-only'],
];

/** CPU time of `tutti ask` without a model, each time with a data directory that is not there yet. */
export function measureColdAsk(): Comparison[] {
  const folder = mkdtempSync(join(tmpdir(), 'tutti-bench-'));
  try {
    writeFileSync(
      join(folder, 'orders.py'),
      'import os\ndef total( items ):\n  return sum(items)\n',
    );
    return requests.map((request) => compareWithNode(request, folder));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function compareWithNode(request: readonly string[], folder: string): Comparison {
  const home = join(folder, '.home');
  const askOnce = () => {
    rmSync(home, { recursive: true, force: true });
    return usageOf([bin, '--home', home, 'ask', ...request], folder);
  };
  // Fills the compile cache.
  askOnce();
  const measured = Array.from({ length: rounds }, () => ({
    ours: askOnce(),
    base: usageOf(['-e', startTenNodes], folder),
  }));
  const ours = medianUsage(measured.map((each) => each.ours)).cpuMs;
  const base = medianUsage(measured.map((each) => each.base)).cpuMs / 10;
  const name = `tutti ask ${request.join(' ')}, cold, no model: CPU`;
  // The limit is a time; the table prints it as the ratio it stands for.
  const limit = Number((maxCpuMs / base).toFixed(1));
  return { name, floor: 'node -e 0', limit, unit: 'ms', ours, base };
}
