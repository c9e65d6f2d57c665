import { DatasetError } from '../errors.ts';
import { maxColumns, maxRows, maxSourceBytes, type RawTable } from './raw-table.ts';

/** Rows of a parquet file. Its own claims about size are checked before a page is unpacked. */
export async function readParquet(source: string, bytes: Uint8Array): Promise<RawTable> {
  const [{ parquetMetadata, parquetReadObjects, parquetSchema }, { compressors }] =
    await Promise.all([import('hyparquet'), import('hyparquet-compressors')]);
  // A copy of its own: the bytes may be part of a larger buffer.
  const file = new Uint8Array(bytes).buffer;
  try {
    const metadata = parquetMetadata(file);
    const claimed = metadata.row_groups.flatMap(({ columns }) =>
      columns.map(({ meta_data: meta }) => Number(meta?.total_uncompressed_size ?? 0)),
    );
    const total = claimed.reduce((sum, one) => sum + one, 0);
    if (!(total <= maxSourceBytes)) {
      throw new DatasetError(source, `it is ${total} bytes unpacked, of at most ${maxSourceBytes}`);
    }
    if (Number(metadata.num_rows) > maxRows) {
      throw new DatasetError(source, `it has ${metadata.num_rows} rows, of at most ${maxRows}`);
    }
    const { children } = parquetSchema(metadata);
    if (children.length > maxColumns) {
      throw new DatasetError(source, `it has more than ${maxColumns} columns`);
    }
    const rows = await parquetReadObjects({ file, compressors });
    return { format: 'parquet', rows: rows.map((row) => plainRow(row)) };
  } catch (error) {
    if (error instanceof DatasetError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new DatasetError(source, `it is no readable parquet file: ${reason.slice(0, 200)}`);
  }
}

/** Values as JSON has them: whole numbers of 64 bits, times and bytes are none. */
function plainRow(row: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plain(value)]));
}

function plain(value: unknown): unknown {
  if (typeof value === 'bigint') {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : value.toString();
  }
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plain(inner)]));
  }
  return value ?? null;
}
