import type { DatasetCard } from '../../../contract/ml/index.ts';

export type Cell = unknown;
export type Row = Readonly<Record<string, Cell>>;

/** Rows as they were read, before types, mapping and splits. */
export interface RawTable {
  readonly format: DatasetCard['format'];
  readonly rows: readonly Row[];
  /** The line of the source each row begins at, where it has lines. */
  readonly lines?: readonly number[];
}

export const maxRows = 2_000_000;
export const maxColumns = 4_096;
/** Of a file as it lies there, and of what it is once unpacked. */
export const maxSourceBytes = 512 * 1024 * 1024;
