import { createHash } from 'node:crypto';
import type { DatasetHint } from '../../../contract/ml/index.ts';
import { pluralize } from '../../../kernel/index.ts';
import { DatasetError } from '../errors.ts';
import type { MappedTable } from './map-columns.ts';
import patterns from './personal-data.json' with { type: 'json' };
import type { Row } from './raw-table.ts';

const personal = Object.entries(patterns).map(([what, pattern]) => ({
  what,
  pattern: new RegExp(pattern, 'u'),
}));
/** Longer texts are looked through up to here. */
const maxScanChars = 20_000;
/** Rows that are looked through for personal data. */
const maxScanRows = 50_000;
const minLeakRows = 20;
/** A column with few values, each of one label, is the label under another name. */
const maxValuesPerLabel = 2;
const rareShare = 0.05;

/** What a person should know before training on it. A column that gives the label away is an error. */
export function findHints(
  source: string,
  table: MappedTable,
  { allowLeak }: { readonly allowLeak: boolean },
): readonly DatasetHint[] {
  const leak = leakOf(table);
  if (leak && !allowLeak) {
    const problem = `each of its values belongs to one value of the label "${table.label}": it gives the label away. Drop the column, or allow it with allow_leakage=true`;
    throw new DatasetError(source, problem, { column: leak });
  }
  return [
    ...(leak ? [hint('leakage', `column "${leak}" gives the label away`)] : []),
    ...personalData(table.rows),
    ...duplicatesOf(table),
    ...imbalanceOf(table),
  ];
}

const hint = (kind: DatasetHint['kind'], message: string): DatasetHint => ({ kind, message });

function leakOf({ kind, label, rows }: MappedTable): string | undefined {
  if (kind !== 'table' || label === null || rows.length < minLeakRows) return undefined;
  const labels = new Set(rows.map((row) => row[label]));
  if (labels.size > rows.length / 4) return undefined;
  const columns = Object.keys(rows[0] ?? {}).filter((name) => name !== label);
  return columns.find((column) => {
    const owner = new Map<unknown, unknown>();
    for (const row of rows) {
      const value = row[column];
      if (owner.has(value) && owner.get(value) !== row[label]) return false;
      owner.set(value, row[label]);
      if (owner.size > labels.size * maxValuesPerLabel) return false;
    }
    return owner.size >= labels.size;
  });
}

function personalData(rows: readonly Row[]): readonly DatasetHint[] {
  const found = new Map<string, { rows: number; first: number; column: string }>();
  for (const [at, row] of rows.slice(0, maxScanRows).entries()) {
    for (const [column, value] of Object.entries(row)) {
      if (typeof value !== 'string') continue;
      const text = value.slice(0, maxScanChars);
      for (const { what, pattern } of personal) {
        if (!pattern.test(text)) continue;
        const known = found.get(`${what} ${column}`);
        if (known) known.rows += 1;
        else found.set(`${what} ${column}`, { rows: 1, first: at + 1, column });
      }
    }
  }
  return [...found].map(([key, { rows: count, first, column }]) => {
    const what = key.slice(0, -column.length - 1);
    return hint(
      'personal_data',
      `${what} in column "${column}" of ${pluralize(count, 'row')}, first in row ${first}`,
    );
  });
}

function duplicatesOf({ rows }: MappedTable): readonly DatasetHint[] {
  const seen = new Set<string>();
  let first: number | undefined;
  for (const [at, row] of rows.entries()) {
    const key = createHash('sha1').update(inputOf(row)).digest('base64');
    if (seen.has(key)) first ??= at + 1;
    seen.add(key);
  }
  if (first === undefined) return [];
  const message = `${pluralize(rows.length - seen.size, 'row')} repeat earlier ones, first row ${first}; equal rows stay in one split`;
  return [hint('duplicates', message)];
}

/** What a model sees of a row, without case and spacing: equal ones must not be in two splits. */
export function inputOf(row: Row): string {
  const seen = row['prompt'] ?? row['text'] ?? row;
  return (typeof seen === 'string' ? seen : JSON.stringify(seen))
    .toLowerCase()
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function imbalanceOf({ label, rows }: MappedTable): readonly DatasetHint[] {
  if (label === null) return [];
  const counts = new Map<unknown, number>();
  for (const row of rows) counts.set(row[label], (counts.get(row[label]) ?? 0) + 1);
  if (counts.size > 50) return [];
  const rare = [...counts].toSorted((a, b) => a[1] - b[1])[0];
  if (!rare || rare[1] >= rows.length * rareShare) return [];
  return [
    hint('imbalance', `label ${JSON.stringify(rare[0])} has ${rare[1]} of ${rows.length} rows`),
  ];
}
