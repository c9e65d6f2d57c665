import type { z } from 'zod';
import { planFields, planSchema, type Plan } from '../../contract/plan/index.ts';
import { nearest, lookupTable } from '../../kernel/index.ts';
import { maxProblems, type Note } from './plan-notes.ts';

type Issue = z.core.$ZodIssue;
type Wrong = Omit<Note, 'step'>;

/** The plan that data is, or what keeps it from being one. */
export function readShape(data: unknown): {
  readonly plan?: Plan;
  readonly wrong: readonly Wrong[];
} {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) {
    const message = `A plan is an object with "steps", and this is ${describe(data)}`;
    return { wrong: [{ at: [], code: 'plan.wrong_value', message }] };
  }
  const read = planSchema.safeParse(data, { reportInput: false });
  if (read.success) return { plan: read.data, wrong: [] };
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
