import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bin } from './list-tools.ts';
import type { Comparison } from './measure.ts';

const rounds = 5;
const fileCount = 10;
const engines = new URL('cold-engines.ts', import.meta.url).pathname;

/** CPU time and peak memory of `review_code` over ten small files in a fresh process. */
export function measureColdReview(): Comparison[] {
  const folder = mkdtempSync(join(tmpdir(), 'tutti-bench-'));
  try {
    for (let i = 0; i < fileCount; i += 1) writeSample(folder, i);
    const review = [bin, '--home', join(folder, '.home'), '--root', folder, 'call'];
    const ours = median(() => run([...review, 'code.review_code', `path=${folder}`], folder));
    const base = median(() => run([engines, folder], folder));
    const name = `review_code, ${fileCount} small files, cold`;
    return [
      {
        name: `${name}: CPU`,
        floor: 'Ruff and ESLint in a bare script',
        limit: 1,
        unit: 'ms',
        ours: ours.cpuMs,
        base: base.cpuMs,
      },
      {
        name: `${name}: peak memory`,
        floor: '–',
        limit: 400,
        unit: 'MB',
        ours: ours.peakMb,
        base: 1,
      },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Usage {
  readonly cpuMs: number;
  readonly peakMb: number;
}

function median(measure: () => Usage): Usage {
  const measured = Array.from({ length: rounds }, measure).sort((a, b) => a.cpuMs - b.cpuMs);
  return measured[Math.floor(rounds / 2)] ?? { cpuMs: Number.NaN, peakMb: Number.NaN };
}

/** GNU time counts what Node's own numbers miss: the end of a process waits for background compilation. */
function run(args: readonly string[], cwd: string): Usage {
  const format = 'usage %U %S %M';
  const child = spawnSync('/usr/bin/time', ['-f', format, process.execPath, ...args], {
    cwd,
    encoding: 'utf8',
  });
  const [, user, system, kilobytes] = /usage (\S+) (\S+) (\d+)/.exec(child.stderr ?? '') ?? [];
  if (child.status !== 0 || kilobytes === undefined) {
    throw new Error(
      `${args.join(' ')} failed (GNU time is needed): ${child.error?.message ?? child.stderr}`,
    );
  }
  return { cpuMs: 1000 * (Number(user) + Number(system)), peakMb: Number(kilobytes) / 1024 };
}

function writeSample(folder: string, i: number): void {
  if (i % 2 === 0) writeFileSync(join(folder, `orders_${i}.py`), pythonFile(i));
  else writeFileSync(join(folder, `orders-${i}.ts`), typescriptFile(i));
}

function pythonFile(i: number): string {
  return `"""Orders of shop ${i}."""
import json
import os


def load(path: str) -> dict:
    """Read the orders in a file."""
    with open(path, encoding="utf-8") as handle:
        return json.load(handle)


def total(items: list[int], limit: int = ${i}) -> int:
    """Add up what is above a limit."""
    result = 0
    for item in items:
        if item > limit:
            result += item
    return result
`;
}

function typescriptFile(i: number): string {
  return `import { readFile } from 'node:fs/promises';

export interface Order${i} {
  readonly name: string;
  readonly price: number;
}

export async function load(path: string): Promise<Order${i}[]> {
  return JSON.parse(await readFile(path, 'utf8')) as Order${i}[];
}

export function total(orders: readonly Order${i}[], limit = ${i}): number {
  let sum = 0;
  for (const order of orders) if (order.price > limit) sum += order.price;
  return sum;
}
`;
}
