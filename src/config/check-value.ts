import { z } from 'zod';
import { aboutOf } from '../contract/settings/index.ts';
import { blankUnseen, nearest } from '../kernel/index.ts';
import { mayQuote } from './describe-settings.ts';
import { asSchema, unwrap } from './setting.ts';

/** What is wrong inside one value. `path` leads from the value to the wrong part. */
interface ValueProblem {
  readonly path: readonly PropertyKey[];
  readonly expected: string;
  readonly found: string;
  readonly suggestion?: string | undefined;
  /** The key at the end of `path` is wrong, not its value. */
  readonly isKey?: boolean;
}

/** Every way in which `value` does not fit `schema`. */
export function checkValue(schema: z.ZodType, value: unknown): readonly ValueProblem[] {
  const result = schema.safeParse(value);
  if (result.success) return [];
  return result.error.issues.flatMap((issue) => {
    if (issue.code === 'unrecognized_keys') return describeUnknownKeys(schema, issue);
    return [describeIssue(schema, value, issue)];
  });
}

/** A key that a group does not have. */
export function unknownKey(
  key: string,
  known: readonly string[],
): Omit<ValueProblem, 'path' | 'isKey'> {
  return {
    expected: `one of ${known.join(', ')}`,
    found: `"${shorten(key)}"`,
    suggestion: nearest(key, known),
  };
}

function describeUnknownKeys(
  schema: z.ZodType,
  issue: z.core.$ZodIssueUnrecognizedKeys,
): ValueProblem[] {
  const group = schemaAt(schema, issue.path);
  const known = group instanceof z.ZodObject ? Object.keys(group.shape) : [];
  return issue.keys.map((key) => ({
    path: [...issue.path, key],
    isKey: true,
    ...unknownKey(key, known),
  }));
}

function describeIssue(schema: z.ZodType, value: unknown, issue: z.core.$ZodIssue): ValueProblem {
  const { path } = issue;
  if (issue.code === 'invalid_key') {
    const map = schemaAt(schema, path.slice(0, -1));
    const keys = map instanceof z.ZodRecord ? asSchema(map.keyType) : z.string();
    return {
      path,
      isKey: true,
      expected: expectationOf(keys),
      found: `"${shorten(String(path.at(-1)))}"`,
    };
  }
  const part = schemaAt(schema, path) ?? schema;
  // A rule over several keys states in its message what it wants; a type speaks for itself.
  const isRule = issue.code === 'custom' && part instanceof z.ZodObject;
  return {
    path,
    expected: isRule ? issue.message : expectationOf(part),
    found: foundText(valueAt(value, path), part),
  };
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let current = value;
  for (const step of path) {
    if (typeof current !== 'object' || current === null) return undefined;
    current = Object.entries(current).find(([key]) => key === String(step))?.[1];
  }
  return current;
}

function foundText(value: unknown, schema: z.ZodType): string {
  if (value === undefined || value === null) return 'nothing';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value === 'object') return `a group (${shorten(Object.keys(value).join(', '))})`;
  if (mayQuote(schema, value)) return shorten(JSON.stringify(value) ?? typeof value);
  return typeof value === 'string' ? 'a text (hidden)' : `a ${typeof value} (hidden)`;
}

const maxShownLength = 60;

/** Foreign text, shortened to fit into one line of a message. */
export function shorten(text: string): string {
  const line = blankUnseen(text);
  return line.length <= maxShownLength ? line : `${line.slice(0, maxShownLength)}…`;
}

/** What a schema accepts, in words that fit after "expected": `a whole number from 0 to 65535`. */
export function expectationOf(schema: z.ZodType): string {
  const value = unwrap(schema);
  const stated = aboutOf(value).expected;
  if (stated !== undefined) return stated;
  if (value instanceof z.ZodNumber) return expectNumber(value);
  if (value instanceof z.ZodBoolean) return 'true or false';
  if (value instanceof z.ZodEnum) return `one of ${value.options.join(', ')}`;
  if (value instanceof z.ZodArray) return expectList(value);
  if (value instanceof z.ZodRecord) {
    return `a map from names to ${plural(expectationOf(asSchema(value.valueType)))}`;
  }
  if (value instanceof z.ZodObject) return 'a group of keys';
  return 'text';
}

/** The schema of what lies at `path` inside a value; undefined where the schema says nothing. */
function schemaAt(schema: z.ZodType, path: readonly PropertyKey[]): z.ZodType | undefined {
  let current: z.ZodType | undefined = unwrap(schema);
  for (const step of path) {
    if (current instanceof z.ZodArray) current = unwrap(asSchema(current.element));
    else if (current instanceof z.ZodRecord) current = unwrap(asSchema(current.valueType));
    else if (current instanceof z.ZodObject) {
      const { shape } = current;
      if (!Object.hasOwn(shape, step)) return undefined;
      current = unwrap(asSchema(shape[String(step)]));
    } else return undefined;
  }
  return current;
}

function expectNumber(schema: z.ZodNumber): string {
  const noun = schema.isInt ? 'a whole number' : 'a number';
  const { minValue, maxValue } = schema;
  if (minValue === null || maxValue === null) return noun;
  const isOpen = schema.def.checks?.some(
    (check) =>
      check._zod.def.check === 'greater_than' &&
      'inclusive' in check._zod.def &&
      check._zod.def.inclusive === false,
  );
  return isOpen === true
    ? `${noun} above ${minValue}, at most ${maxValue}`
    : `${noun} from ${minValue} to ${maxValue}`;
}

function expectList(schema: z.ZodArray): string {
  const element = unwrap(asSchema(schema.element));
  const items =
    element instanceof z.ZodEnum
      ? `any of ${element.options.join(', ')}`
      : plural(expectationOf(element));
  const isNonEmpty = schema.def.checks?.some((check) => check._zod.def.check === 'min_length');
  return isNonEmpty === true ? `a list of ${items}, with at least one` : `a list of ${items}`;
}

function plural(noun: string): string {
  return noun === 'text' ? 'texts' : noun.replace(/^a (\w+)/, '$1s');
}
