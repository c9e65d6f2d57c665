import type { z } from 'zod';

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
