import { z } from 'zod';
import { aboutOf } from '../contract/settings/index.ts';
import { asSchema, unwrap } from './setting.ts';

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
export function schemaAt(schema: z.ZodType, path: readonly PropertyKey[]): z.ZodType | undefined {
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
