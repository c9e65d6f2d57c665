import { z } from 'zod';
import { metricSchema } from '../../../contract/ml/index.ts';
import type { CallContext } from '../../../contract/server/index.ts';
import { defineTool, type DefinedTool } from '../../define-tool.ts';
import { UnusableModelError } from '../errors.ts';
import type { MlParts } from '../ml-ports.ts';
import { findModel } from '../models/find-base.ts';
import { layOutFor } from '../models/make-jobs.ts';
import { jobAnnotations } from '../models/train-tools.ts';
import {
  datasetField,
  engineField,
  hyperparametersField,
  modelField,
} from '../models/training-fields.ts';
import { compareScores } from './paired-tests.ts';
import { drawReport, type ReportModel } from './draw-report.ts';
import { scoreModel, type Scores } from './score-model.ts';
import texts from '../tools.json' with { type: 'json' };

const scoresSchema = z.object({
  model: z.string(),
  measure: z.enum(['accuracy', 'error', 'loss']),
  items: z.int().describe('Rows or parts of the test set that were scored.'),
  metrics: z.record(z.string(), metricSchema),
});

const shown = (model: string, { measure, items, metrics }: Scores) => ({
  model,
  measure,
  items: items.length,
  metrics,
});

/** The tool `evaluate`. */
export function evaluateTool(parts: MlParts): DefinedTool {
  return defineTool({
    ...texts.evaluate,
    input: z.strictObject({
      model: modelField,
      dataset: datasetField
        .optional()
        .describe('The dataset, by id or file; the one it was trained on when not given.'),
      hyperparameters: hyperparametersField,
      engine: engineField,
    }),
    output: scoresSchema,
    annotations: jobAnnotations,
    run: async ({ model, dataset, ...rest }, context) => {
      const found = await findModel(parts, context.caller, model);
      const reference = dataset ?? found.version?.card.dataset?.id;
      if (reference === undefined)
        throw new UnusableModelError(model, 'give a dataset: it was not trained on one here');
      const laidOut = await layOutFor(parts, { model: found, reference }, context);
      return shown(model, await scoreModel(parts, { model: found, laidOut, ...rest }, context));
    },
    summarize: describeScores,
  });
}

function describeScores({ model, items, metrics }: z.output<typeof scoresSchema>): string {
  const parts = Object.entries(metrics).map(([name, { value, low, high }]) =>
    low === null || high === null
      ? `${name} ${value.toFixed(4)}`
      : `${name} ${value.toFixed(4)} (${low.toFixed(4)} to ${high.toFixed(4)})`,
  );
  return `${model}: ${parts.join(', ')}; ${items} items`;
}

const comparisonSchema = z.object({
  models: z.array(scoresSchema),
  better: z
    .string()
    .nullable()
    .describe('The model that is better with confidence; null where no difference is sure.'),
  test: z.enum(['mcnemar', 'paired bootstrap']),
  p_value: z.number().nullable(),
  difference: metricSchema,
  because: z.string(),
  sizes: z.record(z.string(), z.int()).describe('Bytes of each model.'),
  report: z.string().describe('Artifact id of the report, an HTML page with plots.'),
});

/** The tool `compare_models`. */
export function compareModelsTool(parts: MlParts): DefinedTool {
  return defineTool({
    ...texts.compare_models,
    input: z.strictObject({
      first: modelField,
      second: modelField,
      dataset: datasetField,
      hyperparameters: hyperparametersField,
      engine: engineField,
    }),
    output: comparisonSchema,
    annotations: jobAnnotations,
    run: (request, context) => compareModels(parts, request, context),
    summarize: (comparison) =>
      [
        ...comparison.models.map(
          (one) =>
            `${describeScores(one)}; ${((comparison.sizes[one.model] ?? 0) / 1e6).toFixed(2)} MB`,
        ),
        comparison.better === null
          ? `No sure difference: ${comparison.because}`
          : `${comparison.better} is better: ${comparison.because}`,
        `report ${comparison.report}`,
      ].join('\n'),
  });
}

interface Comparing {
  readonly first: string;
  readonly second: string;
  readonly dataset: string;
  readonly hyperparameters: Readonly<Record<string, unknown>>;
  readonly engine?: string | undefined;
}

async function compareModels(
  parts: MlParts,
  { first, second, dataset, ...rest }: Comparing,
  context: CallContext,
): Promise<z.input<typeof comparisonSchema>> {
  const model = await findModel(parts, context.caller, first);
  const other = await findModel(parts, context.caller, second);
  const laidOut = await layOutFor(parts, { model, reference: dataset }, context);
  const compared: ReportModel[] = [];
  for (const [name, found] of [
    [first, model],
    [second, other],
  ] as const) {
    const scores = await scoreModel(parts, { model: found, laidOut, ...rest }, context);
    compared.push({ name, model: found, scores });
  }
  const [one, two] = compared;
  if (!one || !two) throw new Error('two models were scored');
  const verdict = compareScores(one.scores, two.scores);
  const better = verdict.better === 'neither' ? null : verdict.better === 'first' ? first : second;
  const content = await drawReport(parts, {
    compared,
    verdict,
    better,
    dataset: laidOut.dataset,
  });
  const lineage = {
    runId: `report-${laidOut.dataset.card.hash.slice(0, 32)}`,
    step: 'report',
    tool: 'ml.compare_models',
    argumentsDigest: null,
    inputs: [laidOut.dataset.id],
  };
  const artifacts = await parts.artifacts();
  const report = await artifacts.put(context.caller, {
    content,
    mediaType: 'text/html',
    lineage,
  });
  return {
    models: compared.map(({ name, scores }) => shown(name, scores)),
    better,
    test: verdict.test,
    p_value: verdict.pValue,
    difference: verdict.difference,
    because: verdict.because,
    sizes: Object.fromEntries(
      compared.map(({ name, model }) => [name, bytesOf(model.files.files)]),
    ),
    report: report.id,
  };
}

const bytesOf = (files: readonly { readonly bytes: number }[]): number =>
  files.reduce((sum, { bytes }) => sum + bytes, 0);
