import type { CodeContext } from '../code-context.ts';
import type { SourceFile } from '../source-files.ts';
import type { GuardedLanguage } from './same-meaning.ts';

/** One text to format. Its lines end in `\n` alone and it has no byte order mark. */
export interface FormatJob {
  readonly file: SourceFile;
  /** The name the user gave, or the language's own: see `formatters.ts`. */
  readonly formatter: string;
  readonly lineLength: number;
  readonly signal: AbortSignal;
}

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
