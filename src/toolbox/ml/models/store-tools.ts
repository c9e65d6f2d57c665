import { z } from 'zod';
import {
  aliasMoveSchema,
  modelVersionSchema,
  type ModelVersion,
} from '../../../contract/ml/index.ts';
import { defineTool, type DefinedTool } from '../../define-tool.ts';
import { pluralize } from '../../../kernel/index.ts';
import { NotPromotedError } from '../errors.ts';
import { compareScores } from '../evaluation/paired-tests.ts';
import { scoreModel } from '../evaluation/score-model.ts';
import type { MlParts } from '../ml-ports.ts';
import { findModel } from './find-base.ts';
import { layOutFor } from './make-jobs.ts';
import { showNumber } from './train-tools.ts';
import { datasetField, modelField, nameField } from './training-fields.ts';
import texts from '../tools.json' with { type: 'json' };

const maxListed = 200;
const readOnly = { readOnlyHint: true, idempotentHint: true, openWorldHint: false } as const;
const aliasField = z
  .string()
  .regex(/^(?!latest$)[a-z][\w-]{0,39}$/i, 'must be a name that is no number and not "latest"');

const moveSchema = aliasMoveSchema.omit({ name: true });

/** The tool `list_models`. */
export function listModelsTool(parts: MlParts): DefinedTool {
  return defineTool({
    ...texts.list_models,
    input: z.strictObject({
      name: nameField.optional(),
      limit: z.int().min(1).max(maxListed).default(50).describe('How many at most.'),
    }),
    output: z.object({ models: z.array(modelVersionSchema) }),
    annotations: readOnly,
    run: async ({ name, limit }, { caller }) => {
      const all = await parts.models.list(caller, name === undefined ? limit : 1_000);
      const found = all.filter((one) => name === undefined || one.name === name).slice(0, limit);
      return { models: found };
    },
    summarize: ({ models }) =>
      models.length === 0
        ? 'No model has been trained or stored yet.'
        : models.map(describeVersion).join('\n'),
  });
}

function describeVersion({ name, version, format, files, card, createdAt }: ModelVersion): string {
  const bytes = files.reduce((sum, one) => sum + one.bytes, 0);
  const isOfTest = ([metric]: readonly [string, unknown]): number =>
    Number(metric.startsWith('test_'));
  const metrics = Object.entries(card.metrics)
    .toSorted((one, other) => isOfTest(other) - isOfTest(one))
    .slice(0, 3)
    .map(([metric, { value }]) => `${metric} ${showNumber(value)}`);
  const from = [...card.parents, ...(card.dataset ? [card.dataset.source] : [])].join(' + ');
  return `${name}@${version}  ${card.origin} ${format}, ${(bytes / 1e6).toFixed(2)} MB${from === '' ? '' : `, from ${from}`}${metrics.length > 0 ? `; ${metrics.join(', ')}` : ''}; ${createdAt.slice(0, 16)}`;
}

/** The tool `get_model`: from which data, by which run, with what. */
export function getModelTool(parts: MlParts): DefinedTool {
  return defineTool({
    ...texts.get_model,
    input: z.strictObject({ model: modelField }),
    output: z.object({
      model: modelVersionSchema,
      aliases: z.array(moveSchema).describe('Where each alias of this model points now.'),
      moves: z.array(moveSchema).describe('The log of all moves, latest first.'),
      ancestors: z.array(modelVersionSchema).describe('The models it was made of, nearest first.'),
    }),
    annotations: readOnly,
    run: async ({ model: reference }, { caller }) => {
      const model = await parts.models.get(caller, reference);
      const moves = await parts.models.aliasMoves(caller, model.name, maxListed);
      const aliases = moves.filter(
        (move, at) => moves.findIndex(({ alias }) => alias === move.alias) === at,
      );
      const ancestors = await ancestorsOf(parts, caller, model);
      return { model, aliases, moves, ancestors };
    },
    summarize: ({ model, aliases, ancestors }) =>
      [
        describeVersion(model),
        ...(model.card.dataset
          ? [
              `data: ${model.card.dataset.source}, ${model.card.dataset.rows} rows, ${model.card.dataset.id}`,
            ]
          : []),
        `run: ${model.card.run.key.slice(0, 16)} (${pluralize(model.card.run.attempts, 'attempt')}, resumed ${pluralize(model.card.run.resumed, 'time')}) by ${model.card.engine.name} ${model.card.engine.version}, Tutti ${model.card.code}`,
        `with: ${Object.entries(model.card.config)
          .map(([key, value]) => `${key}=${String(value)}`)
          .join(' ')} seed=${model.card.seed} threads=${model.card.threads}`,
        ...ancestors.map((one) => `parent: ${describeVersion(one)}`),
        ...aliases.map(
          ({ alias, version, reason, at }) =>
            `alias ${alias} → @${version} since ${at.slice(0, 16)} (${reason})`,
        ),
        ...model.card.licences.map((licence) => `licence: ${licence}`),
      ].join('\n'),
  });
}

const maxAncestors = 20;

async function ancestorsOf(
  { models }: MlParts,
  caller: Parameters<MlParts['models']['get']>[0],
  model: ModelVersion,
): Promise<readonly ModelVersion[]> {
  const found: ModelVersion[] = [];
  const waiting = [...model.card.parents];
  while (waiting.length > 0 && found.length < maxAncestors) {
    const reference = waiting.shift();
    // A base from a folder is in no store.
    const parent =
      reference?.includes('@') === true
        ? await models.get(caller, reference).catch(() => undefined)
        : undefined;
    if (!parent) continue;
    found.push(parent);
    waiting.push(...parent.card.parents);
  }
  return found;
}

/** The tool `promote_model`. */
export function promoteModelTool(parts: MlParts): DefinedTool {
  return defineTool({
    ...texts.promote_model,
    input: z.strictObject({
      model: z.string().min(1).max(200).describe('The version, as name@3 or name for the latest.'),
      alias: aliasField.default('champion').describe('The alias to move.'),
      dataset: datasetField.optional(),
      reason: z
        .string()
        .min(3)
        .max(500)
        .optional()
        .describe('Why, where no dataset decides: "rollback".'),
    }),
    output: moveSchema.extend({ model: z.string() }),
    run: async ({ model: reference, alias, dataset, reason }, context) => {
      const { caller } = context;
      const model = await parts.models.get(caller, reference);
      const label = `${model.name}@${model.version}`;
      const current = await parts.models
        .get(caller, `${model.name}@${alias}`)
        .catch(() => undefined);
      if (dataset === undefined && reason === undefined && current) {
        throw new NotPromotedError(
          label,
          `give a dataset to compare it with ${model.name}@${current.version} on, or a reason`,
        );
      }
      const because =
        dataset === undefined || !current
          ? (reason ?? `first ${alias}`)
          : await proveBetter(parts, { label, current, dataset }, context);
      const { name, version } = model;
      const move = await parts.models.moveAlias(caller, { name, alias, version, reason: because });
      return { ...move, model: label };
    },
    summarize: ({ model, alias, previous, reason }) =>
      `${alias} is ${model} now${previous === null ? '' : `, before @${previous}`}: ${reason}`,
  });
}

async function proveBetter(
  parts: MlParts,
  { label, current, dataset }: { label: string; current: ModelVersion; dataset: string },
  context: Parameters<typeof scoreModel>[2],
): Promise<string> {
  const model = await findModel(parts, context.caller, label);
  const other = await findModel(parts, context.caller, `${current.name}@${current.version}`);
  const laidOut = await layOutFor(parts, { model, reference: dataset }, context);
  const settled = { laidOut, hyperparameters: {} };
  const first = await scoreModel(parts, { model, ...settled }, context);
  const second = await scoreModel(parts, { model: other, ...settled }, context);
  const verdict = compareScores(first, second);
  if (verdict.better === 'first')
    return `better than @${current.version} on ${laidOut.dataset.card.source}: ${verdict.because}`;
  throw new NotPromotedError(
    label,
    `it is not better than ${current.name}@${current.version} with confidence: ${verdict.because}`,
  );
}
