import { createHash } from 'node:crypto';
import { splitNames, type SplitName } from '../../../contract/ml/index.ts';
import { DatasetError } from '../errors.ts';
import { inputOf } from './find-hints.ts';
import type { Row } from './raw-table.ts';

export type Shares = Readonly<Record<SplitName, number>>;
export type SplitRows = Readonly<Partial<Record<SplitName, readonly Row[]>>>;

/**
 * Splits by a hash of the seed and the row: the same row goes to the same split whatever else is there, and rows that
 * are equal to a model are never in two.
 */
export function splitRows(
  source: string,
  rows: readonly Row[],
  { seed, shares }: { readonly seed: number; readonly shares: Shares },
): SplitRows {
  const split: Record<SplitName, Row[]> = { train: [], validation: [], test: [] };
  for (const row of rows) {
    const digest = createHash('sha256')
      .update(`${seed}\n${inputOf(row)}`)
      .digest();
    const at = digest.readUInt32BE(0) / 2 ** 32;
    const name =
      at < shares.test ? 'test' : at < shares.test + shares.validation ? 'validation' : 'train';
    split[name].push(row);
  }
  for (const name of splitNames) {
    if (shares[name] === 0 || split[name].length > 0) continue;
    const problem = `the split "${name}" is empty: ${Math.round(shares[name] * 100)} % of ${rows.length} rows; give more rows, another share, or 0 for none`;
    throw new DatasetError(source, problem);
  }
  return Object.fromEntries(
    splitNames.filter((name) => split[name].length > 0).map((name) => [name, split[name]]),
  );
}
