import { z } from 'zod';
import { asSchema, unwrap } from './setting.ts';
import { lookupTable } from '../kernel/index.ts';

const numberPattern = /^[+-]?\d{1,20}(?:\.\d{1,20})?(?:e[+-]?\d{1,3})?$/i;
const truths: Readonly<Record<string, boolean>> = lookupTable({
  true: true,
  '1': true,
  yes: true,
  on: true,
  false: false,
  '0': false,
  no: false,
  off: false,
});

/**
 * The value a text from a flag or the environment stands for, by the type the schema wants. A text
 * that stands for none is returned as it is, for the schema to refuse.
 */
export function coerceText(schema: z.ZodType, text: string): unknown {
  const value = unwrap(schema);
  const trimmed = text.trim();
  if (value instanceof z.ZodNumber) return numberPattern.test(trimmed) ? Number(trimmed) : text;
  if (value instanceof z.ZodBoolean) return truths[trimmed.toLowerCase()] ?? text;
  if (value instanceof z.ZodEnum) return coerceChoice(value, text);
  if (value instanceof z.ZodArray) return coerceList(value, trimmed);
  if (value instanceof z.ZodRecord) return coerceMap(value, trimmed);
  return text;
}

/** A value from a file, with its choices in lower case. */
export function coerceChoices(schema: z.ZodType, value: unknown): unknown {
  const inner = unwrap(schema);
  if (inner instanceof z.ZodEnum) return coerceChoice(inner, value);
  if (!(inner instanceof z.ZodArray) || !Array.isArray(value)) return value;
  return value.map((item) => coerceChoices(asSchema(inner.element), item));
}

/** Choices are lower case in the schema and may be written in any case: `INFO`. */
function coerceChoice(schema: z.ZodEnum, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const lower = value.trim().toLowerCase();
  return schema.options.some((option) => option === lower) ? lower : value;
}

/** `a,b,c`, or a JSON list where an item holds a comma. */
function coerceList(schema: z.ZodArray, text: string): unknown {
  if (text.startsWith('[')) return parseJson(text);
  const items = text.split(',').map((item) => item.trim());
  return items
    .filter((item) => item !== '')
    .map((item) => coerceText(asSchema(schema.element), item));
}

/** `name=value,name=value`, or a JSON object. */
function coerceMap(schema: z.ZodRecord, text: string): unknown {
  if (text.startsWith('{')) return parseJson(text);
  if (text === '') return {};
  const pairs = text.split(',').map((pair) => {
    const at = pair.indexOf('=');
    return at > 0 ? [pair.slice(0, at).trim(), pair.slice(at + 1).trim()] : undefined;
  });
  return pairs.every((pair) => pair !== undefined)
    ? Object.fromEntries(
        pairs.map(([name, value]) => [name, coerceText(asSchema(schema.valueType), value ?? '')]),
      )
    : text;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
