import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { CodeContext } from '../code-context.ts';
import type { SourceFile } from '../source-files.ts';
import type { GuardedLanguage } from './same-meaning.ts';
import { TooComplexError } from '../errors.ts';
import type { Language } from '../language.ts';

/** One text to format. Its lines end in `\n` alone and it has no byte order mark. */
export interface FormatJob {
  readonly file: SourceFile;
  /** The name the user gave, or the language's own: see `formatters.json`. */
  readonly formatter: string;
  readonly lineLength: number;
  /** As the user wants it; absent for what the formatter does by itself. */
  readonly indent?: Indent | undefined;
  readonly quotes?: Quotes | undefined;
  readonly signal: AbortSignal;
}

export const indents = ['tabs', '2 spaces', '3 spaces', '4 spaces', '8 spaces'] as const;
type Indent = (typeof indents)[number];
export const quoteKinds = ['single quotes', 'double quotes'] as const;
type Quotes = (typeof quoteKinds)[number];

export interface EngineResult {
  readonly text: string;
  /** Name and version of what did the work. */
  readonly engine: string;
  /** What a user should know about the result, e.g. an embedded script that was left alone. */
  readonly notes?: readonly string[];
  /** Set when the engine is known to lose or invent things: the result is compared with the input. */
  readonly guard?: GuardedLanguage;
}

/** Formats, or throws `CodeSyntaxError`; anything else it throws becomes `code.format_failed`. */
export type FormatEngine = (job: FormatJob, context: CodeContext) => Promise<EngineResult>;

/**
 * Characters an engine is given at most: beyond, the slow ones would take minutes or gigabytes.
 * Measured with short lines, which cost most.
 */
const maxCharacters: Readonly<Record<Language, number>> = {
  python: 5_000_000,
  javascript: 1_000_000,
  typescript: 1_000_000,
  java: 1_000_000,
  go: 5_000_000,
  rust: 5_000_000,
  sql: 300_000,
  html: 500_000,
  css: 500_000,
};

export function assertNotTooLong(file: SourceFile): void {
  const limit = maxCharacters[file.language];
  if (file.text.length > limit) {
    throw new TooComplexError(file.path, `it has more than ${limit} characters`);
  }
}

/** Maps the stack overflow of an engine on deeply nested input to `TooComplexError`. */
export function asTooComplex(path: string, error: unknown): unknown {
  const isOverflow =
    error instanceof RangeError ||
    (error instanceof Error && error.name === 'RuntimeError') ||
    (error instanceof Error && /call stack|memory exhausted|recursion limit/i.test(error.message));
  return isOverflow ? new TooComplexError(path, 'it is nested too deeply', error) : error;
}

const manifestSchema = z.object({ name: z.string(), version: z.string() });

/** How far above its entry point a package's manifest is looked for. */
const maxParents = 6;

/** The version of an installed package, also of one that does not export its `package.json`. */
export function packageVersion(name: string, requireFrom = createRequire(import.meta.url)): string {
  let folder = dirname(requireFrom.resolve(name));
  for (let step = 0; step < maxParents; step += 1) {
    const manifest = readManifest(join(folder, 'package.json'));
    if (manifest?.name === name) return manifest.version;
    folder = dirname(folder);
  }
  return 'of unknown version';
}

function readManifest(path: string): z.infer<typeof manifestSchema> | undefined {
  try {
    return manifestSchema.safeParse(JSON.parse(readFileSync(path, 'utf8'))).data;
  } catch {
    return undefined;
  }
}
