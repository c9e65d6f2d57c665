import { readFileSync } from 'node:fs';
import { fail, spec } from './channel.mjs';

/** Rows of a split, `[]` where there is none. The host has checked the digest of the file. */
export function readRows(split) {
  const path = spec.inputs[split];
  if (!path) return [];
  const lines = readFileSync(path, 'utf8').split('\n');
  const rows = [];
  for (const [at, line] of lines.entries()) {
    if (line.trim() === '') continue;
    try {
      rows.push(JSON.parse(line));
    } catch {
      fail('ml.bad_data', `Row ${at + 1} of "${split}" is not JSON`);
    }
    const row = rows.at(-1);
    if (row === null || typeof row !== 'object' || Array.isArray(row))
      fail('ml.bad_data', `Row ${at + 1} of "${split}" is not an object`);
  }
  return rows;
}

/** The value of a column as text; fails with row and column. */
export function textOf(row, column, { split, at }) {
  const value = row[column];
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return fail(
    'ml.bad_data',
    `Row ${at + 1} of "${split}" has no text in the column "${column}" (its columns: ${Object.keys(row).slice(0, 20).join(', ')})`,
  );
}
