import { z } from 'zod';
import { aboutOf, type SettingTraits } from '../contract/settings/index.ts';
import { asSchema, unwrap } from './setting.ts';

/** What to make of the parts of a setting's value. */
export interface ValueVisitor {
  /** Every text, with the traits of its schema and of what contains it. */
  readonly text: (text: string, traits: SettingTraits) => unknown;
  /** A value under a key that the schema does not know. */
  readonly extra: (value: unknown) => unknown;
}

/** A value that fits `schema`, rebuilt with its texts replaced. As deep as the schema, not the value. */
export function transformValue(schema: z.ZodType, value: unknown, visitor: ValueVisitor): unknown {
  return transform({ schema, value, visitor, outer: {} });
}

interface Step {
  readonly schema: z.ZodType;
  readonly value: unknown;
  readonly visitor: ValueVisitor;
  readonly outer: SettingTraits;
}

function transform({ schema, value, visitor, outer }: Step): unknown {
  if (value === undefined) return undefined;
  const inner = unwrap(schema);
  const traits = { ...outer, ...aboutOf(inner), ...aboutOf(schema) };
  const into = (part: z.ZodType | undefined, partValue: unknown): unknown =>
    part === undefined
      ? visitor.extra(partValue)
      : transform({ schema: part, value: partValue, visitor, outer: traits });

  if (inner instanceof z.ZodArray && Array.isArray(value)) {
    return value.map((item) => into(asSchema(inner.element), item));
  }
  if (inner instanceof z.ZodRecord && isRecord(value)) {
    return mapValues(value, (_key, item) => into(asSchema(inner.valueType), item));
  }
  if (inner instanceof z.ZodObject && isRecord(value)) {
    const shape: Readonly<Record<string, z.core.$ZodType>> = inner.shape;
    return mapValues(value, (key, item) => {
      const part = Object.hasOwn(shape, key) ? shape[key] : undefined;
      return into(part && asSchema(part), item);
    });
  }
  return typeof value === 'string' ? visitor.text(value, traits) : value;
}

function mapValues(
  record: Readonly<Record<string, unknown>>,
  change: (key: string, value: unknown) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record).map(([key, value]) => [key, change(key, value)]),
  );
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
