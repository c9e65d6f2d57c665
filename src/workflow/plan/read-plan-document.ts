import type { z } from 'zod';
import { type Plan, planFields, planSchema } from '../../contract/plan/index.ts';
import type { PlanSource } from '../../contract/run/index.ts';
import { recordOf, nearest, lookupTable } from '../../kernel/index.ts';
import {
  checkData,
  readJsonDocument,
  type PlanDocument,
  readYamlDocument,
} from './read-document.ts';
import { delegateSteps, writtenPath } from './delegate-steps.ts';
import { type Note, type PlanLimits, checkSteps, maxProblems } from './step-rules.ts';

/** One document: a plan whose sub-plans may still be names of files. */
interface ReadPlan {
  /** Absent when something is wrong. */
  readonly plan?: Plan;
  /** What can be checked further when something is wrong. */
  readonly draft?: Draft;
  readonly notes: readonly Note[];
  lineOf(path: readonly (string | number)[]): number | null;
  /** Steps of agents are read as calls: where a field of such a call was written. */
  writtenAt(path: readonly (string | number)[]): readonly (string | number)[];
}

export async function readPlanDocument(source: PlanSource, limits: PlanLimits): Promise<ReadPlan> {
  const document = await readDocument(source, limits);
  const { data } = document;
  const places: Pick<ReadPlan, 'lineOf' | 'writtenAt'> = {
    lineOf: (path) => document.lineOf(path),
    writtenAt: (path) => writtenPath(data, path),
  };
  const toNote = (found: Found): Note => ({ ...found, step: found.step ?? stepAt(data, found.at) });
  const found = document.problems.map(toNote);
  if (data === undefined && found.length > 0) return { notes: found, ...places };
  const bad = [...checkData(data, limits), ...tooManySteps(data, limits.maxSteps)].map(toNote);
  if (bad.length > 0) return { notes: [...found, ...bad], ...places };
  const { plan, wrong } = readShape(data);
  const notes = [...found, ...[...wrong, ...checkSteps(data)].map(toNote)];
  if (notes.length === 0 && plan) return { plan, notes, ...places };
  const draft = draftOf(data, notes);
  return { ...(draft && { draft }), notes, ...places };
}

interface Found {
  readonly step?: string | null;
  readonly at: readonly (string | number)[];
  readonly line?: number | null;
  readonly code: string;
  readonly message: string;
}

async function readDocument(source: PlanSource, { maxBytes }: PlanLimits): Promise<PlanDocument> {
  if (source.kind === 'data') return { data: source.plan, problems: [], lineOf: () => null };
  const text = source.text.replace(/^\uFEFF/, '');
  // A character has at least one byte, so what has too many of them need not be measured.
  if (text.length > maxBytes || Buffer.byteLength(text) > maxBytes) {
    const message = `The plan has more than ${maxBytes} bytes. Split it into sub-plans, or hand big values in as inputs`;
    return {
      data: undefined,
      problems: [{ at: [], line: null, code: 'plan.too_large', message }],
      lineOf: () => null,
    };
  }
  if (text.trim() === '') {
    const problem = { at: [], line: 1, code: 'plan.bad_syntax', message: 'The plan is empty' };
    return { data: undefined, problems: [problem], lineOf: () => null };
  }
  const json = /^\s*[{[]/.test(text) ? await readJsonDocument(text) : undefined;
  return json ?? readYamlDocument(text);
}

function tooManySteps(data: unknown, maxSteps: number): Found[] {
  const { steps } = Object(data);
  if (!Array.isArray(steps) || steps.length <= maxSteps) return [];
  const message = `The plan has ${steps.length} steps, and at most ${maxSteps} are allowed (setting workflow.max_steps). Use "forEach", or split it`;
  return [{ at: ['steps'], code: 'plan.too_many_steps', message }];
}

/** The step a path lies in, `outer/inner`; null when in none. */
function stepAt(data: unknown, at: readonly (string | number)[]): string | null {
  const ids: string[] = [];
  let value = data;
  for (const [depth, segment] of at.entries()) {
    if (typeof value !== 'object' || value === null) break;
    value = Object.getOwnPropertyDescriptor(value, segment)?.value;
    const isStep = depth % 3 === 1 && at[depth - 1] === 'steps';
    if (depth % 3 === 2 && segment !== 'plan') break;
    if (!isStep) continue;
    const { id } = Object(value);
    ids.push(typeof id === 'string' ? id : `steps[${segment}]`);
  }
  return ids.length === 0 ? null : ids.join('/');
}

type RawPlan = Readonly<Record<string, unknown>>;

/** Notes about an id alone: the step itself can be checked. */
const aboutIds: ReadonlySet<string> = new Set(['plan.duplicate_step', 'plan.reserved_step']);

export interface Draft {
  readonly plan: Plan;
  /** The id that is written in the plan, by the id in the draft. */
  readonly names: ReadonlyMap<string, string>;
}

/**
 * A plan that was not well-formed as far as it can be checked further, so that one mistake does not hide the
 * others: a step with a mistake in its form becomes one that may give anything, a duplicate gets an id of its own,
 * and wrong fields of the plan itself are left out. Undefined when that does not make it a plan. Never runs.
 */
function draftOf(data: unknown, notes: readonly Note[]): Draft | undefined {
  const { steps, ...fields } = recordOf(data);
  if (!Array.isArray(steps)) return undefined;
  const drafted = steps.map((step: unknown, index) => draftStep(step, index, notes));
  const { plan } = readShape({ ...draftFields(fields, notes), steps: drafted });
  if (!plan) return undefined;
  const names = plan.steps.map(({ id }, index): [string, string] => {
    const { id: written } = recordOf(steps[index]);
    return [id, typeof written === 'string' ? written : `steps[${index}]`];
  });
  return { plan, names: new Map(names) };
}

function draftStep(step: unknown, index: number, all: readonly Note[]): unknown {
  const notes = all.filter(({ at }) => at[0] === 'steps' && at[1] === index);
  if (notes.length === 0) return step;
  const { id } = recordOf(step);
  const isTaken = notes.some(({ at, code }) => at.length === 3 && aboutIds.has(code));
  // Ids that people choose are unique without the number.
  const draftId = isTaken || typeof id !== 'string' ? `step-${index}-of-draft` : id;
  const isOpaque = notes.some(({ at, code }) => at.length !== 3 || !aboutIds.has(code));
  return isOpaque ? { id: draftId, wait: 'anything' } : { ...recordOf(step), id: draftId };
}

function draftFields(fields: RawPlan, notes: readonly Note[]): RawPlan {
  const wrong = notes.filter(({ at }) => at[0] !== 'steps').map(({ at }) => at);
  const inputs = Object.entries(recordOf(fields['input'])).map(([name, schema]) => {
    const isWrong = wrong.some((at) => at[0] === 'input' && at[1] === name);
    return [name, isWrong ? {} : schema];
  });
  const kept = Object.entries(fields).filter(
    ([name]) => name === 'input' || !wrong.some((at) => at[0] === name),
  );
  const { input, ...others } = Object.fromEntries(kept);
  return { ...others, ...(input !== undefined && { input: Object.fromEntries(inputs) }) };
}

type Issue = z.core.$ZodIssue;
type Wrong = Omit<Note, 'step'>;

/** The plan that data is, or what keeps it from being one. */
function readShape(data: unknown): {
  readonly plan?: Plan;
  readonly wrong: readonly Wrong[];
} {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) {
    const message = `A plan is an object with "steps", and this is ${describe(data)}`;
    return { wrong: [{ at: [], code: 'plan.wrong_value', message }] };
  }
  const read = planSchema.safeParse(data, { reportInput: false });
  if (read.success) return { plan: delegateSteps(read.data), wrong: [] };
  const issues = read.error.issues.slice(0, maxProblems);
  return { wrong: issues.flatMap((issue) => wrongOf(issue, [], data)) };
}

function wrongOf(issue: Issue, around: readonly (string | number)[], data: unknown): Wrong[] {
  // Keys of JSON are texts and numbers.
  const at = [...around, ...(issue.path as readonly (string | number)[])];
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.slice(0, maxProblems).map((key) => unknownField(key, at));
  }
  if (issue.code === 'invalid_union') {
    // What was meant is the alternative that fits as far as to its inside.
    const meant = issue.errors.find((issues) => issues.every(isWithin));
    if (meant && meant.length > 0) return meant.flatMap((inner) => wrongOf(inner, at, data));
  }
  return [{ at, code: 'plan.wrong_value', message: wrongValue(issue, at, data) }];
}

function isWithin({ path, code }: Issue): boolean {
  return (
    path.length > 0 || code === 'unrecognized_keys' || code === 'too_small' || code === 'too_big'
  );
}

/** What people write who know other plans. */
const otherWords: Readonly<Record<string, string>> = lookupTable({
  needs: order(),
  depends_on: order(),
  dependsOn: order(),
  after: order(),
  if: 'a condition is written "when"',
  name: 'a step has "id" and "title"',
  with: 'arguments are written "args"',
  arguments: 'arguments are written "args"',
  params: 'arguments are written "args"',
  loop: 'repeating is written "forEach"',
  timeout: 'a time limit is written "timeoutMs"',
});

function order(): string {
  return 'leave it out: the order of steps follows from their references';
}

function unknownField(key: string, at: readonly (string | number)[]): Wrong {
  const fields = fieldsAt(at);
  if (key.startsWith('//')) {
    const message = 'A comment begins with "#": plans are YAML, or JSON without comments';
    return { at: [...at, key], code: 'plan.unknown_field', message };
  }
  const word = Object.hasOwn(otherWords, key) ? otherWords[key] : undefined;
  const meant = word === undefined ? nearest(key, fields) : undefined;
  const hint =
    word ?? (meant === undefined ? `there are ${fields.join(', ')}` : `did you mean "${meant}"?`);
  return {
    at: [...at, key],
    code: 'plan.unknown_field',
    message: `There is no field "${key}" here: ${hint}`,
  };
}

function fieldsAt(at: readonly (string | number)[]): readonly string[] {
  const name = at.findLast((segment) => typeof segment === 'string') ?? 'plan';
  const known: Readonly<Record<string, readonly string[]>> = planFields;
  return (Object.hasOwn(known, name) ? known[name] : undefined) ?? [];
}

/** What a field wants, where the schema's own words do not help. */
const wants: Readonly<Record<string, string>> = lookupTable({
  id: 'a text of letters, digits, "_" and "-" that begins with a letter and has at most 64',
  sleep: 'milliseconds or a text such as 30s',
  wait: 'the name of a signal, or {signal, timeoutMs}',
  plan: 'a plan, or the path of its file',
  when: 'a condition, as text',
  forEach: 'a list, or a reference to one such as ${step.items}',
  retry: 'a number of attempts from 1 to 100, or {attempts, backoffMs, …}',
  approval: 'true, or {message, expiresMs}',
  cache: 'true, or {ttlMs}',
  args: 'an object: the arguments by name',
  version: '1',
  timeoutMs: 'milliseconds, as a whole number above 0',
  expiresMs: 'milliseconds, as a whole number of at least 1000',
  ttlMs: 'milliseconds, as a whole number above 0',
  steps: 'a list of at least one step',
  agent: 'the name of an agent, or {capability}',
  task: 'a text: what the agent is to do',
});

function wrongValue(issue: Issue, at: readonly (string | number)[], data: unknown): string {
  const value = valueAt(data, at);
  const field = at.findLast((segment) => typeof segment === 'string');
  const isElement = typeof at.at(-1) === 'number';
  const want = isElement ? undefined : wantAt(at);
  const name = field === undefined ? 'It' : `"${field}"`;
  if (value === undefined) return `${name} is missing: it wants ${want ?? wantOf(issue)}`;
  const [hint] = issue.code === 'invalid_value' ? [hintOf(issue.values, value)] : [''];
  if (isElement) return `An element of ${name} wants ${wantOf(issue)}, and is ${describe(value)}`;
  return `${name} wants ${want ?? wantOf(issue)}, and is ${describe(value)}${hint}`;
}

function wantAt(at: readonly (string | number)[]): string | undefined {
  // Inputs of a plan are declared by name: what they are called says nothing about them.
  if (at.at(-2) === 'input' && typeof at.at(-3) !== 'number') {
    return 'a JSON Schema such as {type: string}: inputs are declared by name';
  }
  const field = String(at.at(-1));
  return Object.hasOwn(wants, field) ? wants[field] : undefined;
}

function hintOf(values: readonly unknown[], value: unknown): string {
  const meant = nearest(String(value), values.map(String));
  return meant === undefined ? '' : `. Did you mean "${meant}"?`;
}

function wantOf(issue: Issue): string {
  if (issue.code === 'invalid_type') return kinds[issue.expected] ?? issue.expected;
  if (issue.code === 'invalid_value') return `one of ${issue.values.map(String).join(', ')}`;
  if (issue.code === 'too_small') return `at least ${issue.minimum}`;
  if (issue.code === 'too_big') return `at most ${issue.maximum}`;
  return 'something else';
}

const kinds: Readonly<Record<string, string>> = lookupTable({
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
});

const shownLength = 60;

function describe(value: unknown): string {
  if (value === undefined || value === null || value === '') return 'empty';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value === 'object') return 'an object';
  const text = JSON.stringify(value) ?? '';
  return text.length > shownLength ? `${text.slice(0, shownLength)}…` : text;
}

function valueAt(data: unknown, at: readonly (string | number)[]): unknown {
  return at.reduce<unknown>((value, segment) => {
    if (typeof value !== 'object' || value === null) return undefined;
    return Object.getOwnPropertyDescriptor(value, segment)?.value;
  }, data);
}
