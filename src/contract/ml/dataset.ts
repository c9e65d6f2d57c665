import { z } from 'zod';

export const datasetFormats = [
  'csv',
  'jsonl',
  'json',
  'parquet',
  'text',
  'squad',
  'images',
] as const;
export const columnTypes = ['integer', 'number', 'boolean', 'text', 'list', 'object'] as const;
export const datasetKinds = ['table', 'text', 'completion'] as const;
export const splitNames = ['train', 'validation', 'test'] as const;
export type SplitName = (typeof splitNames)[number];

const columnSchema = z.object({
  name: z.string(),
  type: z.enum(columnTypes),
  missing: z.int().describe('Rows without a value.'),
  distinct: z.int().describe('Different values, counted up to a limit.'),
  least: z.number().nullable().describe('Smallest number or shortest text.'),
  most: z.number().nullable().describe('Largest number or longest text.'),
  mean: z.number().nullable().describe('Mean of the numbers, or of the lengths of the texts.'),
});

const splitSchema = z.object({
  rows: z.int(),
  sha256: z.string(),
  bytes: z.int(),
});

export const hintKinds = ['personal_data', 'leakage', 'duplicates', 'imbalance', 'other'] as const;

const hintSchema = z.object({
  kind: z.enum(hintKinds),
  message: z.string().describe('What was seen, with row and column.'),
});

/** What is known of a dataset: the card that is stored beside its rows, which are one artifact a split. */
export const datasetCardSchema = z.object({
  source: z.string().describe('Where it was read from.'),
  format: z.enum(datasetFormats),
  encoding: z.string(),
  kind: z
    .enum(datasetKinds)
    .describe(
      'table: columns and a label; text: whole texts; completion: prompts with completions.',
    ),
  label: z.string().nullable().describe('The column to predict, of a table.'),
  mapping: z.record(z.string(), z.string()).describe('Which columns of the source became which.'),
  columns: z.array(columnSchema),
  splits: z.partialRecord(z.enum(splitNames), splitSchema),
  seed: z.int(),
  hints: z.array(hintSchema),
  hash: z.string().describe('Of the rows of all splits: the same rows have the same hash.'),
});

export type DatasetCard = Readonly<z.infer<typeof datasetCardSchema>>;
export type DatasetColumn = DatasetCard['columns'][number];
export type DatasetHint = DatasetCard['hints'][number];
