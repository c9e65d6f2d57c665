import type { z } from 'zod';
import type { JsonSchema } from '../contract/tool/index.ts';
import { pluralize, nearest, lookupTable } from '../kernel/index.ts';

export interface Judged {
  /** What did not fit the schema. */
  readonly value: unknown;
  /** Names what an object may hold. */
  readonly schema?: JsonSchema;
}

type Issue = z.core.$ZodIssue;

const maxIssuesShown = 10;

/** What is wrong with arguments or an output, a sentence per issue, in the words of the settings' errors. */
export function describeIssues(error: z.ZodError, judged: Judged): string[] {
  return error.issues.slice(0, maxIssuesShown).map((issue) => {
    const where = issue.path.length > 0 ? issue.path.join('.') : 'arguments';
    return `${where}: ${describeIssue(issue, judged)}`;
  });
}

function describeIssue(issue: Issue, { value, schema }: Judged): string {
  const found = issue.path.reduce<unknown>((inner, key) => field(inner, key), value);
  switch (issue.code) {
    case 'invalid_type':
      if (found === undefined) return 'is missing';
      return `expected ${typeWords[issue.expected] ?? issue.expected}, found ${shortJson(found)}`;
    case 'invalid_value': {
      const values = issue.values.map(String);
      const meant = typeof found === 'string' ? didYouMean(found, values) : '';
      const choices = values.length === 1 ? values.join('') : `one of ${values.join(', ')}`;
      return `expected ${choices}, found ${shortJson(found)}${meant}`;
    }
    case 'too_small':
    case 'too_big':
      return describeSize(issue, found);
    case 'unrecognized_keys': {
      if (!schema) return issue.message;
      const known = namesAt(schema, issue.path);
      const unknown = issue.keys.map((key) => `"${key}" is unknown${didYouMean(key, known)}`);
      return `${unknown.join(', ')}. Known: ${known.join(', ') || 'none'}`;
    }
    case 'invalid_format':
    case 'invalid_union':
    case 'invalid_key':
    case 'invalid_element':
    case 'not_multiple_of':
    case 'custom':
      return issue.message;
  }
}

const typeWords: Readonly<Record<string, string>> = lookupTable({
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
});

function describeSize(
  issue: Extract<Issue, { code: 'too_small' | 'too_big' }>,
  found: unknown,
): string {
  const isSmall = issue.code === 'too_small';
  const limit = Number(isSmall ? issue.minimum : issue.maximum);
  const unit = issue.origin === 'string' ? 'character' : issue.origin === 'array' ? 'item' : '';
  if (unit !== '' && isSmall && limit === 1) return 'must not be empty';
  const bound = isSmall ? 'at least' : 'at most';
  if (unit === '') return `expected ${bound} ${limit}, found ${shortJson(found)}`;
  const length = Number(field(found, 'length') ?? 0);
  return `expected ${bound} ${pluralize(limit, unit)}, found ${length}`;
}

function didYouMean(word: string, known: readonly string[]): string {
  const meant = nearest(word, known);
  return meant === undefined ? '' : ` (did you mean "${meant}"?)`;
}

/** The properties that an object inside the arguments may have. */
function namesAt(schema: JsonSchema, path: readonly PropertyKey[]): readonly string[] {
  let here: unknown = schema;
  for (const key of path) {
    const properties = field(here, 'properties');
    here =
      typeof key === 'number'
        ? field(here, 'items')
        : (field(properties, key) ?? field(here, 'additionalProperties'));
  }
  return Object.keys(field(here, 'properties') ?? {});
}

function field(value: unknown, key: PropertyKey): unknown {
  const holder: Readonly<Record<PropertyKey, unknown>> = Object(value);
  return Object.hasOwn(holder, key) ? holder[key] : undefined;
}

const maxShownChars = 60;

function shortJson(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length <= maxShownChars ? text : `${text.slice(0, maxShownChars - 1)}…`;
}
