import { z } from 'zod';
import { datasetCardSchema } from '../../../contract/ml/index.ts';
import type { CallContext } from '../../../contract/server/index.ts';
import { pluralize } from '../../../kernel/index.ts';
import { defineTool, type DefinedTool } from '../../define-tool.ts';
import type { MlParts } from '../ml-ports.ts';
import { splitRows, storeDataset } from './dataset-store.ts';
import { findHints } from './find-hints.ts';
import { inferColumns } from './infer-columns.ts';
import { mapColumns } from './map-columns.ts';
import { readSource } from './read-source.ts';
import texts from '../tools.json' with { type: 'json' };

const maxPreview = 20;
const maxPreviewChars = 300;
const column = z.string().min(1).max(500).optional();
const share = z.number().min(0).max(0.9);

const input = z.strictObject({
  source: z
    .string()
    .min(1)
    .max(4096)
    .describe(
      'A dataset file or folder of images inside the project, an artifact id, or a name on the hub such as squad.',
    ),
  columns: z
    .strictObject({
      text: column.describe('The column of whole texts.'),
      prompt: column.describe('The column of prompts.'),
      completion: column.describe('The column of completions.'),
      label: column.describe('The column to predict.'),
    })
    .default({})
    .describe('Which column means what, where it is not found by its name.'),
  test_share: share.default(0.15).describe('Share of the rows for the test split.'),
  validation_share: share.default(0).describe('Share of the rows for the validation split.'),
  seed: z.int().min(0).default(42).describe('Seed of the split.'),
  encoding: z
    .string()
    .max(40)
    .optional()
    .describe('Encoding of the text; detected when not given.'),
  delimiter: z.string().length(1).optional().describe('Delimiter of csv; detected when not given.'),
  allow_leakage: z.boolean().default(false).describe('Keep a column that gives the label away.'),
  preview: z.int().min(0).max(maxPreview).default(3).describe('Rows to show.'),
});

const output = z.object({
  dataset: z.string().describe('Id of the stored dataset, for the other tools.'),
  ...datasetCardSchema.shape,
  preview: z.array(z.record(z.string(), z.unknown())),
});

/** The tool `load_dataset`. */
export function loadDatasetTool(parts: MlParts): DefinedTool {
  return defineTool({
    ...texts.load_dataset,
    input,
    output,
    // The same file gives the same artifact.
    run: async (request, context) => {
      const { stored, rows } = await prepareDataset(parts, request, context);
      const preview = rows.slice(0, request.preview).map(shorten);
      return { dataset: stored.id, ...stored.card, preview };
    },
    summarize,
  });
}

/** With the defaults of the tool. */
export function prepareUsual(
  parts: MlParts,
  given: Pick<z.input<typeof input>, 'source' | 'columns' | 'test_share'>,
  context: CallContext,
) {
  return prepareDataset(parts, input.parse(given), context);
}

async function prepareDataset(
  parts: MlParts,
  request: z.output<typeof input>,
  { caller, signal }: CallContext,
) {
  const { source, seed } = request;
  const table = await readSource(parts, { ...request, caller, signal });
  const typed = inferColumns(source, table);
  const mapped = mapColumns(source, typed, request.columns);
  const hints = [...findHints(source, mapped, { allowLeak: request.allow_leakage })];
  const { test_share: test, validation_share: validation } = request;
  const shares = { test, validation, train: 1 - test - validation };
  const splits = splitRows(source, mapped.rows, { seed, shares });
  const { format, encoding } = table;
  const { kind, label, mapping } = mapped;
  const stored = await storeDataset(parts, caller, {
    source,
    format,
    encoding,
    kind,
    label,
    seed,
    hints,
    splits,
    mapping: { ...mapping },
    columns: [...typed.columns],
  });
  return { stored, rows: mapped.rows };
}

function shorten(row: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === 'string' && value.length > maxPreviewChars
        ? `${value.slice(0, maxPreviewChars)}…`
        : value,
    ]),
  );
}

function summarize(card: z.output<typeof output>): string {
  const splits = Object.entries(card.splits).map(([name, { rows }]) => `${name} ${rows}`);
  const total = Object.values(card.splits).reduce((sum, { rows }) => sum + rows, 0);
  const columns = card.columns.map(
    ({ name, type, missing, distinct }) =>
      `  ${name}: ${type}, ${distinct} distinct${missing > 0 ? `, ${missing} missing` : ''}`,
  );
  const label = card.label === null ? '' : `, label ${card.label}`;
  return [
    `${card.source}: ${pluralize(total, 'row')} of ${card.format} (${card.encoding}) as ${card.kind}${label}; ${splits.join(', ')}; seed ${card.seed}`,
    ...columns,
    ...card.hints.map(({ message }) => `  note: ${message}`),
    `dataset ${card.dataset}`,
  ].join('\n');
}
