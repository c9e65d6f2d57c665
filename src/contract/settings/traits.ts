import { z } from 'zod';
import { lookupTable, type Secret } from '../../kernel/index.ts';

/** What the loader and the docs must know about a setting beyond its type. */
export interface SettingTraits {
  /** The value is a secret: the loader seals it, and nothing prints it. */
  readonly isSecret?: boolean;
  /** An address: shown with its password and the secrets in its query hidden. */
  readonly isAddress?: boolean;
  /** The value names a file or folder: `~` is expanded, and it is relative to the file that sets it. */
  readonly isPath?: boolean;
  /**
   * A project's file may not set it, because a project that was merely downloaded could then write
   * the user's files, reach their data or send it elsewhere. On a group: all its keys, unless one says `false`.
   */
  readonly isUserOnly?: boolean;
  /** In a project's file the paths may only lead to what is at or below that file's folder. */
  readonly isWithinProject?: boolean;
  /** What a project's file says here takes effect only after the user trusted it (`tutti trust`). */
  readonly needsTrust?: boolean;
  /** The setting is understood and shown, and nothing reads it yet; docs and `tutti config` say so. */
  readonly isNotUsedYet?: boolean;
  /** Environment variables understood beside the `TUTTI_…` one, strongest first. */
  readonly env?: readonly string[];
  /** The command line flag that sets it, beside `--set key=value`. */
  readonly flag?: string;
  /** How docs state a default that is computed when settings are loaded. */
  readonly defaultText?: string;
  /** What the value must look like, where the type alone does not say it. */
  readonly expected?: string;
}

/** Metadata of a setting; goes into `.meta(…)` as the last call on its schema. */
export function about(description: string, traits: SettingTraits = {}): Record<string, unknown> {
  return { description, ...traits };
}

/** What `about` wrote on this schema; empty for a schema without metadata. */
export function aboutOf(schema: z.ZodType): SettingTraits & { readonly description?: string } {
  // `about` is the only writer of metadata in the settings schema, so this is its shape.
  return (schema.meta() ?? {}) as SettingTraits & { readonly description?: string };
}

type About = Parameters<typeof about>;
type Range = readonly [min: number, max: number];

/**
 * Settings of the usual types. Each ends with its description and traits. `check` and `register` change the schema in place, where `min`, `max` and
 * `meta` copy it: every start makes two hundred of them.
 */
export const wholeNumber = ([min, max]: Range, value: number, ...words: About) =>
  z
    .int()
    .check(z.gte(min), z.lte(max))
    .default(value)
    .register(z.globalRegistry, about(...words));

export const optionalWholeNumber = ([min, max]: Range, ...words: About) =>
  z
    .int()
    .check(z.gte(min), z.lte(max))
    .optional()
    .register(z.globalRegistry, about(...words));

export const decimal = ([min, max]: Range, value: number, ...words: About) =>
  z
    .number()
    .check(z.gte(min), z.lte(max))
    .default(value)
    .register(z.globalRegistry, about(...words));

export const flag = (value: boolean, ...words: About) =>
  z
    .boolean()
    .default(value)
    .register(z.globalRegistry, about(...words));

export const choice = <const Name extends string>(
  names: readonly Name[],
  value: NoInfer<Name>,
  ...words: About
) =>
  z
    .enum(names)
    .default(value)
    .register(z.globalRegistry, about(...words));

export const optionalText = (...words: About) =>
  z
    .string()
    .min(1)
    .optional()
    .register(z.globalRegistry, about(...words));

const sealed = about('A secret.', { isSecret: true });

/** A string that the loader seals into a `Secret`: the brand is how types tell it apart. */
export const secretText = z.string().min(1).brand<'secret'>().meta(sealed);

/** The same where the empty string means something, as in a program's environment. */
export const secretOrEmptyText = z.string().brand<'secret'>().meta(sealed);

/** An http or https address. */
export const httpUrl = z
  .url({ protocol: /^https?$/ })
  .meta(about('An address.', { isAddress: true, expected: 'an http or https address' }));

/** A size such as `100MB` or `64KiB`; `parseSize` gives its bytes. */
export const sizeText = z
  .string()
  .refine((text) => parseSize(text) !== undefined)
  .meta(about('A size.', { expected: 'a size such as "100MB" or "64KiB"' }));

export const seconds = z.number().positive().max(86_400);

const bytesPerUnit: Readonly<Record<string, number>> = lookupTable({
  b: 1,
  kb: 1000,
  mb: 1000 ** 2,
  gb: 1000 ** 3,
  kib: 1024,
  mib: 1024 ** 2,
  gib: 1024 ** 3,
});

const sizePattern = /^(\d{1,12}) ?([a-z]{1,3})$/i;

/** The bytes of a size like `100MB` (decimal) or `64KiB` (binary); undefined when it is not one. */
export function parseSize(text: string): number | undefined {
  const [, count, unit] = sizePattern.exec(text) ?? [];
  const factor = unit === undefined ? undefined : bytesPerUnit[unit.toLowerCase()];
  if (factor === undefined) return undefined;
  const bytes = Number(count) * factor;
  return bytes > 0 && Number.isSafeInteger(bytes) ? bytes : undefined;
}

/** A value with every branded text sealed. */
export type Sealed<Value> =
  Value extends z.core.$brand<'secret'>
    ? Secret
    : Value extends readonly (infer Item)[]
      ? readonly Sealed<Item>[]
      : Value extends object
        ? { readonly [Key in keyof Value]: Sealed<Value[Key]> }
        : Value;

/** One setting as `tutti config` shows it. */
export interface SettingRow {
  /** Dotted: `server.port`. */
  readonly key: string;
  /** The value as JSON, secrets replaced by `[hidden]`; undefined when it is not set. */
  readonly value: unknown;
  /** `default`, `flag`, `env TUTTI_HOME` or `path/tutti.yaml:3`. */
  readonly source: string;
  readonly description: string;
}
