import type { Comparison } from './measure.ts';

/** The table all benchmarks print and keep in their RESULTS.md. */
export function comparisonTable(results: readonly Comparison[]): string {
  const header = ['what', 'ours', 'floor', 'ratio', 'limit', ''];
  return [header, header.map(() => '---'), ...results.map(row)]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

export function isExceeded({ ours, base, limit }: Comparison): boolean {
  return !(ours / base <= limit);
}

function row(it: Comparison): string[] {
  const digits = it.ours < 10 ? 3 : 1;
  return [
    it.name,
    `${it.ours.toFixed(digits)} ${it.unit}`,
    it.floor === '–' ? '–' : `${it.base.toFixed(digits)} ${it.unit} (${it.floor})`,
    it.floor === '–' ? '–' : (it.ours / it.base).toFixed(2),
    it.limit === Infinity ? '–' : `≤ ${it.limit}`,
    isExceeded(it) ? 'EXCEEDED' : 'holds',
  ];
}
