import type { CodeContext } from '../code-context.ts';
import type { Finding, FocusArea, Severity } from '../finding.ts';
import type { SourceFile } from '../source-files.ts';
import type { StyleGuide } from '../language.ts';

/** Replaces the text between two offsets (UTF-16 units, end exclusive). */
export interface TextEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** A finding of a linter, with what review and refactor need beyond what is shown. */
export interface LintFinding extends Finding {
  readonly area: FocusArea;
  /** Edits that cure it and cannot change what the program does; all of them or none. */
  readonly safeFix?: readonly TextEdit[];
}

/** How a rule of any engine is presented. */
export interface RuleEntry {
  readonly severity: Severity;
  readonly area: FocusArea;
}

/** What a linter gets besides the file. */
export interface LintSetup {
  readonly context: CodeContext;
  readonly guide: StyleGuide;
  /** Lines longer than this many columns are reported. */
  readonly lineLength: number;
  /** Told how many findings comments in the text silenced. */
  readonly onSilenced?: (count: number) => void;
}

/** One linter: findings of one file. Throws `CodeSyntaxError` when the text does not parse. */
export type Lint = (file: SourceFile, setup: LintSetup) => Promise<LintFinding[]>;

/** Whether a guide wants a rule; `optIn` rules are off unless a guide adds them. */
export function isWanted(guide: StyleGuide, rule: string, optIn = false): boolean {
  if (guide.drops?.includes(rule) === true) return false;
  return !optIn || guide.adds?.includes(rule) === true;
}
