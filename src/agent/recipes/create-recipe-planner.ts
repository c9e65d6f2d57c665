import { z } from 'zod';
import { type Plan, planSchema } from '../../contract/plan/index.ts';
import type { Planner, PlanningAnswer, PlanningRequest } from '../planner/index.ts';

/** A call that only looks, before a plan is shown. */
export type LookAhead = (
  tool: string,
  args: object,
  signal: AbortSignal,
) => Promise<
  | { readonly kind: 'result'; readonly content: Readonly<Record<string, unknown>> }
  | { readonly kind: 'error'; readonly code: string; readonly message: string }
>;

const maxMessageChars = 6_000;
/** More files than these are not looked through for a name. */
const maxFiles = 5_000;
const confidence = 0.9;

/** The planner, after the recipes: a message that asks for one gets its plan, with what it would take. */
export function createRecipePlanner(
  planner: Planner,
  given: unknown,
  lookAhead: LookAhead,
): Planner {
  const recipes = recipesSchema.parse(given);
  return {
    async plan(request) {
      const message = request.message.slice(0, maxMessageChars);
      const names = new Set(request.tools.map(({ name }) => name));
      const found = recipes.find(
        ({ asks, steps }) =>
          new RegExp(asks, 'iu').test(message) && steps.every(({ tool }) => names.has(tool)),
      );
      if (!found) return planner.plan(request);
      const said = await locate(readValues(found, message), found, request);
      const read = await readFile(found, said, { lookAhead, signal: request.signal });
      const isFile = read.kind === 'values';
      const values = new Map([...(isFile ? read.values : Object.entries(found.defaults)), ...said]);
      if (!isMeant(found, values, message)) return planner.plan(request);
      if (read.kind === 'refusal') return read;
      return followRecipe({ recipe: found, values, message }, request, lookAhead);
    },
  };
}

type Values = ReadonlyMap<string, string>;

function isMeant({ questions, about }: Recipe, values: Values, message: string): boolean {
  const isNamed = Object.keys(questions).some((name) => values.has(name));
  return isNamed || new RegExp(about, 'iu').test(message);
}

function readValues({ values, translations }: Recipe, message: string): Values {
  const found = new Map<string, string>();
  for (const [name, patterns] of Object.entries(values)) {
    for (const pattern of patterns) {
      const value = new RegExp(pattern, 'iu').exec(message)?.groups?.['value'];
      if (value === undefined) continue;
      const plain = value.replace(/[.,;:!?]+$/u, '').replace(/^@/u, '');
      found.set(name, translations[name]?.[plain.toLowerCase()] ?? plain);
      break;
    }
  }
  return found;
}

/** Files and model folders that are named without their folder, where just one has the name. */
async function locate(
  values: Values,
  { questions, reads }: Recipe,
  { files }: PlanningRequest,
): Promise<Values> {
  const listed = await files.list(maxFiles);
  const located = [...values].map(([name, value]): readonly [string, string] => {
    const isFile = name in questions || name === reads?.file;
    if (!isFile || listed.includes(value)) return [name, value];
    const ends = [`/${value}`, `/${value}/config.json`];
    const [only, ...others] = listed.filter((file) => ends.some((end) => file.endsWith(end)));
    return [name, only && others.length === 0 ? only.replace(/\/config\.json$/u, '') : value];
  });
  return new Map(located);
}

type FileRead =
  | { readonly kind: 'none' }
  | { readonly kind: 'values'; readonly values: Values }
  | { readonly kind: 'refusal'; readonly reason: string };

/** The values of the file that the message names, if it names one; its defaults are then the tool's. */
async function readFile(
  { reads }: Recipe,
  said: Values,
  { lookAhead, signal }: { readonly lookAhead: LookAhead; readonly signal: AbortSignal },
): Promise<FileRead> {
  if (!reads || !said.has(reads.file)) return { kind: 'none' };
  const seen = await lookAhead(reads.tool, fill(reads.args, said), signal);
  if (seen.kind === 'error') return { kind: 'refusal', reason: seen.message };
  const group: unknown = seen.content[reads.group];
  const found = Object.entries(Object(group) as object).filter(([name]) =>
    reads.values.includes(name),
  );
  return { kind: 'values', values: new Map(found.map(([name, value]) => [name, String(value)])) };
}

interface Following {
  readonly recipe: Recipe;
  readonly values: Values;
  readonly message: string;
}

async function followRecipe(
  { recipe, values, message }: Following,
  { signal }: PlanningRequest,
  lookAhead: LookAhead,
): Promise<PlanningAnswer> {
  const { questions, preview, title } = recipe;
  const missing = Object.keys(questions).filter((name) => !values.has(name));
  const plan = writeRecipe(recipe, values, message);
  const steps = plan.steps.map(({ id, ...step }) => ('tool' in step ? `${step.tool}` : id));
  const ask = (names: readonly string[], because: readonly string[]): PlanningAnswer => ({
    kind: 'question',
    questions: names.map((name) => [...because, questions[name] ?? ''].join('\n').trim()),
    candidates: [],
  });
  if (missing.length > 0) return ask(missing, []);
  if (!preview) return { kind: 'plan', candidates: [{ plan, confidence, why: `${title}.` }] };
  const seen = await lookAhead(preview.tool, fill(preview.args, values), signal);
  if (seen.kind === 'error') {
    const about = preview.questionsByError[seen.code];
    if (about !== undefined) return ask([about], [seen.message]);
    return { kind: 'refusal', reason: seen.message };
  }
  const { content } = seen;
  const facts = linesIn(content[preview.facts ?? '']);
  const refusals = linesIn(content[preview.refusals ?? '']);
  if (refusals.length > 0) {
    const reason = `This would take ${steps.join(' → ')}, and it is not possible on this machine: ${refusals.join('; ')}. A smaller model, less data or fewer steps would be.`;
    return { kind: 'refusal', reason, isFinal: true };
  }
  const { absent } = preview;
  if (absent && content[absent.field] === absent.value) {
    const name = values.get(absent.question) ?? '';
    return ask([absent.question], [`"${name}" is not on this machine (${facts.join('; ')}).`]);
  }
  const why = [`${title}.`, ...facts].join('\n');
  return { kind: 'plan', candidates: [{ plan, confidence, why }] };
}

function writeRecipe({ steps }: Recipe, values: Values, message: string): Plan {
  const taken = steps.filter(
    (step) =>
      (step.if === undefined || values.has(step.if)) &&
      (step.unless === undefined || !values.has(step.unless)),
  );
  return planSchema.parse({
    version: 1,
    goal: message.slice(0, 2_000),
    steps: taken.map(({ id, tool, args, when }) => ({
      id,
      tool,
      args: fill(args, values),
      ...(when !== undefined && { when }),
    })),
  });
}

function fill(args: Recipe['steps'][number]['args'], values: Values): Record<string, RecipeJson> {
  return Object.fromEntries(
    Object.entries(args).flatMap(([name, value]): [string, RecipeJson][] => {
      const filled = fillOne(value, values);
      return filled === undefined ? [] : [[name, filled]];
    }),
  );
}

function fillOne(value: RecipeJson, values: Values): RecipeJson | undefined {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return fill(value, values);
  if (typeof value !== 'string') return value;
  const [, name, asNumber] = /^\{(\w+)(#?)\}$/u.exec(value) ?? [];
  if (name === undefined) return value;
  const found = values.get(name);
  // What the user wrote is no reference.
  return asNumber === '#' && found !== undefined
    ? Number(found)
    : found?.replaceAll('${', () => '$${');
}

function linesIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

const json: z.ZodType<Json> = z.json();
const args = z.record(z.string(), json);

/**
 * A plan for one kind of request. In arguments `{name}` stands for the value that was found in the message, `{name#}` for
 * it as a number; an argument whose value was not found is left out.
 */
const recipeSchema = z.strictObject({
  id: z.string().regex(/^[a-z]+\.[a-z]+$/),
  title: z.string(),
  /** What a message says that asks for it. */
  asks: z.string(),
  /** Said of nothing else, so that missing values are asked for; else one of them must be there. */
  about: z.string(),
  /** Patterns with the group `value`, the first that matches counts. */
  values: z.record(z.string(), z.array(z.string()).min(1)),
  translations: z.record(z.string(), z.record(z.string(), z.string())),
  defaults: z.record(z.string(), z.string()),
  /** A value that names a file, the tool that reads it, and the values its result has below `group`. */
  reads: z
    .strictObject({
      file: z.string(),
      tool: z.string(),
      args,
      group: z.string(),
      values: z.array(z.string()),
    })
    .exactOptional(),
  /** Values that are needed, with the question for each. */
  questions: z.record(z.string(), z.string()),
  /** A call that says before what the plan would take, and whether it is possible. */
  preview: z
    .strictObject({
      tool: z.string(),
      args,
      /** Fields of its result: reasons against the plan, and lines to show. */
      refusals: z.string().exactOptional(),
      facts: z.string().exactOptional(),
      /** Where this field has this value, something is missing. */
      absent: z
        .strictObject({ field: z.string(), value: z.string(), question: z.string() })
        .exactOptional(),
      questionsByError: z.record(z.string(), z.string()),
    })
    .exactOptional(),
  steps: z.array(
    z.strictObject({
      id: z.string(),
      tool: z.string(),
      args,
      when: z.string().exactOptional(),
      /** Only with, only without a value. */
      if: z.string().exactOptional(),
      unless: z.string().exactOptional(),
    }),
  ),
});

type Recipe = Readonly<z.output<typeof recipeSchema>>;
type RecipeJson = Json;

const recipesSchema = z.array(recipeSchema);
