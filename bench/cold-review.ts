import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bin } from './list-tools.ts';
import { medianUsage, usageOf, type Comparison, type Usage } from './measure.ts';

const rounds = 5;
const fileCount = 10;
const engines = new URL('cold-engines.ts', import.meta.url).pathname;

/** CPU time and peak memory of `review_code` over ten small files in a fresh process. */
export function measureColdReview(): Comparison[] {
  const folder = mkdtempSync(join(tmpdir(), 'tutti-bench-'));
  try {
    for (let i = 0; i < fileCount; i += 1) writeSample(folder, i);
    const review = [bin, '--home', join(folder, '.home'), '--root', folder, 'call'];
    const ours = median([...review, 'code.review_code', `path=${folder}`], folder);
    const base = median([engines, folder], folder);
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

function median(args: readonly string[], cwd: string): Usage {
  return medianUsage(Array.from({ length: rounds }, () => usageOf(args, cwd)));
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
