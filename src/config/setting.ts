import { z } from 'zod';
import { aboutOf, settingsSchema, type SettingTraits } from '../contract/settings/index.ts';

/** One key of the settings schema: what has a value, as opposed to a group of keys. */
export interface Setting {
  /** Dotted: `server.port`. */
  readonly key: string;
  readonly path: readonly string[];
  readonly schema: z.ZodType;
  /** Its own, and `isUserOnly` of the group it is in. */
  readonly traits: SettingTraits;
  readonly description: string;
  /** Undefined when it is not set by default, or computed when settings are loaded. */
  readonly defaultValue: unknown;
  /** Sources add entries to it by name, where other settings are replaced whole. */
  readonly isMap: boolean;
  /** Environment variables that set it, strongest first. */
  readonly variables: readonly string[];
}

/** Every setting, in the order of the schema. */
export function listSettings(): readonly Setting[] {
  return settingsWithin(settingsSchema, [], false);
}

/** Every environment variable that sets something. */
export function settingVariables(): readonly string[] {
  return listSettings().flatMap(({ variables }) => variables);
}

/** The schema of a setting's value, or of one entry of a map setting. */
export function valueSchema(part: { setting: Setting; entry?: string }): z.ZodType {
  const value = unwrap(part.setting.schema);
  return part.entry !== undefined && value instanceof z.ZodRecord
    ? asSchema(value.valueType)
    : part.setting.schema;
}

/** The group of keys a schema stands for; undefined when it is a value. */
export function groupOf(schema: z.ZodType): z.ZodObject | undefined {
  return schema instanceof z.ZodObject ? schema : undefined;
}

/** A schema without what only says that it may be missing. */
export function unwrap(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) {
    return unwrap(asSchema(schema.unwrap()));
  }
  return schema;
}

/** The default a schema states; undefined when it has none. */
export function defaultOf(schema: z.ZodType): unknown {
  return schema instanceof z.ZodDefault ? schema.def.defaultValue : undefined;
}

/** Zod types the inside of a schema by its base class; every schema we build is a `ZodType`. */
export function asSchema(inner: z.core.$ZodType): z.ZodType {
  return inner as z.ZodType;
}

function settingsWithin(
  group: z.ZodObject,
  path: readonly string[],
  isOuterUserOnly: boolean,
): Setting[] {
  return Object.entries(group.shape).flatMap(([name, inner]) => {
    const schema = asSchema(inner);
    const isUserOnly = aboutOf(schema).isUserOnly ?? isOuterUserOnly;
    const subgroup = groupOf(schema);
    return subgroup
      ? settingsWithin(subgroup, [...path, name], isUserOnly)
      : [describeSetting(schema, [...path, name], isUserOnly)];
  });
}

function describeSetting(schema: z.ZodType, path: readonly string[], isUserOnly: boolean): Setting {
  const { description = '', ...own } = aboutOf(schema);
  const traits = { ...own, isUserOnly };
  const value = unwrap(schema);
  return {
    key: path.join('.'),
    path,
    schema,
    traits,
    description: traits.isNotUsedYet === true ? `${description} Not used yet.` : description,
    defaultValue: defaultOf(schema),
    isMap: value instanceof z.ZodRecord && groupOf(asSchema(value.valueType)) !== undefined,
    variables: [variableName(path), ...(traits.env ?? [])],
  };
}

/** `server.auth_token` → `TUTTI_SERVER_AUTH_TOKEN`. */
function variableName(path: readonly string[]): string {
  const words = path.join('_').replaceAll(/([a-z])([A-Z])/g, '$1_$2');
  return `TUTTI_${words.toUpperCase()}`;
}

/** What to make of the parts of a setting's value. */
interface ValueVisitor {
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
