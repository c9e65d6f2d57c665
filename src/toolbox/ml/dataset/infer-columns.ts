import type { DatasetColumn } from '../../../contract/ml/index.ts';
import { DatasetError } from '../errors.ts';
import type { RawTable, Row } from './raw-table.ts';

/** Below this share of other values a column has a type, and the others are mistakes. */
const strayShare = 0.1;
const maxDistinct = 10_000;
const missingTexts = new Set(['', 'na', 'n/a', 'nan', 'null', 'none', '?']);
const idNames = /^(?:id|_id|uuid|guid|row_id|sample_id|example_id)$/i;

type Type = DatasetColumn['type'];

export interface TypedTable {
  readonly rows: readonly Row[];
  readonly columns: readonly DatasetColumn[];
}

/** One type for each column; a few cells of another type are an error that names the first. */
export function inferColumns(source: string, table: RawTable): TypedTable {
  const names = [...new Set(table.rows.flatMap((row) => Object.keys(row)))];
  const isText = table.format === 'csv' || table.format === 'text';
  const types = new Map(names.map((name) => [name, typeOf(source, table, { name, isText })]));
  const rows = table.rows.map((row) =>
    Object.fromEntries(
      names.map((name) => [name, convert(row[name], types.get(name) ?? 'text', isText)]),
    ),
  );
  checkIds(source, { ...table, rows }, names);
  return { rows, columns: names.map((name) => describe(rows, name, types.get(name) ?? 'text')) };
}

function typeOf(
  source: string,
  { rows, lines }: RawTable,
  { name, isText }: { readonly name: string; readonly isText: boolean },
): Type {
  const found = rows.map((row) => cellType(row[name], isText));
  const counts = new Map<Type, number>();
  for (const type of found) if (type) counts.set(type, (counts.get(type) ?? 0) + 1);
  if (counts.has('integer') && counts.has('number')) {
    counts.set('number', (counts.get('number') ?? 0) + (counts.get('integer') ?? 0));
    counts.delete('integer');
  }
  const sorted = [...counts].toSorted((a, b) => b[1] - a[1]);
  const [main, most] = sorted[0] ?? (['text', 0] as const);
  const total = [...counts.values()].reduce((sum, one) => sum + one, 0);
  if (total === most) return main;
  // A text column of a file without types may hold texts that look like numbers.
  if (isText && main === 'text') return 'text';
  const isStray = (type: Type | undefined): boolean =>
    type !== undefined && type !== main && !(main === 'number' && type === 'integer');
  const at = found.findIndex(isStray);
  if (isText && total - most > total * strayShare) return 'text';
  const shown = JSON.stringify(rows[at]?.[name])?.slice(0, 60);
  throw new DatasetError(
    source,
    `${shown} is ${found[at]}, and ${most} of ${total} values are ${main}; correct the value, or make all of them text`,
    { row: at + 1, line: lines?.[at], column: name },
  );
}

function cellType(value: unknown, isText: boolean): Type | undefined {
  if (value === null || value === undefined) return undefined;
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'object') return 'object';
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  if (!isText || typeof value !== 'string') return 'text';
  const cell = value.trim();
  if (missingTexts.has(cell.toLowerCase())) return undefined;
  if (/^(?:true|false)$/i.test(cell)) return 'boolean';
  // A leading zero is part of a code, not of a number.
  if (/^[+-]?(?:0|[1-9]\d{0,14})$/.test(cell)) return 'integer';
  if (/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(cell) && !/^[+-]?0\d/.test(cell))
    return 'number';
  return 'text';
}

function convert(value: unknown, type: Type, isText: boolean): unknown {
  if (value === undefined || value === null) return null;
  if (!isText || typeof value !== 'string') return value;
  const cell = value.trim();
  if (type !== 'text' && missingTexts.has(cell.toLowerCase())) return null;
  if (type === 'integer' || type === 'number') return Number(cell);
  if (type === 'boolean') return /^true$/i.test(cell);
  return value === '' ? null : value;
}

function checkIds(source: string, { rows, lines }: RawTable, names: readonly string[]): void {
  for (const column of names.filter((name) => idNames.test(name))) {
    const seen = new Map<string, number>();
    for (const [at, row] of rows.entries()) {
      const value = row[column];
      if (value === null || value === undefined) continue;
      const key = JSON.stringify(value);
      const first = seen.get(key);
      if (first !== undefined) {
        const problem = `the id ${key.slice(0, 60)} is also that of row ${first + 1}`;
        throw new DatasetError(source, problem, { row: at + 1, line: lines?.[at], column });
      }
      seen.set(key, at);
    }
  }
}

function describe(rows: readonly Row[], name: string, type: Type): DatasetColumn {
  const values = rows.map((row) => row[name]).filter((value) => value !== null);
  const distinct = new Set<string>();
  let least = Infinity;
  let most = -Infinity;
  let sum = 0;
  for (const value of values) {
    if (distinct.size < maxDistinct) {
      distinct.add(typeof value === 'string' ? value : JSON.stringify(value));
    }
    const size = measure(value);
    least = Math.min(least, size);
    most = Math.max(most, size);
    sum += size;
  }
  const isEmpty = values.length === 0;
  return {
    name,
    type,
    missing: rows.length - values.length,
    distinct: distinct.size,
    least: isEmpty ? null : least,
    most: isEmpty ? null : most,
    mean: isEmpty ? null : sum / values.length,
  };
}

function measure(value: unknown): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return Number(value);
  return typeof value === 'string' ? value.length : JSON.stringify(value).length;
}
