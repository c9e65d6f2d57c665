import { z } from 'zod';
import type { CodeContext } from '../code-context.ts';
import { focusAreas, severities, type Finding, type FocusArea, type Severity } from '../finding.ts';
import { readLanguageData, type Language, type StyleGuide } from '../language.ts';
import type { SourceFile } from '../source-files.ts';

const ruleSchema = z.strictObject({
  /** Runs only under style guides that add it. */
  optIn: z.literal(true).optional(),
  /** Given to the engine that knows the rule. */
  options: z
    .union([z.array(z.unknown()), z.record(z.string(), z.unknown()), z.string(), z.number()])
    .optional(),
  /** The engine's fix cannot change what the program does. */
  safeFix: z.literal(true).optional(),
  notInTypescript: z.literal(true).optional(),
  /** Takes quadratic time, so it runs on files of usual size only. */
  quadratic: z.literal(true).optional(),
  /** Left out in tests. */
  tests: z.literal('skip').optional(),
  /** Tree-sitter patterns; `@at` is the node to report, `@edit` the one to change if it is another. */
  query: z.string().optional(),
  /** A regular expression over SQL; see the head of its `lint.yaml`. */
  pattern: z.string().optional(),
  statement: z.string().optional(),
  top: z.literal(true).optional(),
  /** `{name}` stands for the text of the capture. */
  message: z.string().optional(),
  fix: z.string().optional(),
  remove: z.literal(true).optional(),
  /** A regular expression over the text of the node, and what its match becomes. */
  replace: z.tuple([z.string(), z.string()]).optional(),
});

/** Names separated by space. */
const wordsSchema = z
  .string()
  .transform((text) => text.split(/\s+/))
  .default([]);

const rulesSchema = z
  .strictObject({
    /** Rules that Ruff runs, rules it does not, and rules whose fix keeps behaviour. */
    select: wordsSchema,
    ignore: wordsSchema,
    safeFixes: wordsSchema,
    rules: z.record(
      z.templateLiteral([z.enum(severities), ' ', z.enum(focusAreas)]),
      z.record(z.string(), z.union([ruleSchema, z.array(ruleSchema), z.null()])),
    ),
  })
  .transform((data) => {
    const rules = Object.entries(data.rules).flatMap(([group, named]) => {
      // The schema knows no other keys than a severity and an area.
      const [severity, area] = group.split(' ') as [Severity, FocusArea];
      return Object.entries(named).flatMap(([name, checks]) =>
        [checks].flat().map((check): LintRule => ({ ...check, name, severity, area })),
      );
    });
    return { ...data, rules, byName: new Map(rules.map((rule) => [rule.name, rule])) };
  });

/** A rule as a language's `lint.yaml` describes it; several may have one name. */
export type LintRule = z.infer<typeof ruleSchema> & {
  readonly name: string;
  readonly severity: Severity;
  readonly area: FocusArea;
};

/** The content of `languages/<language>/lint.yaml`. */
export function readLintData(language: Language): z.output<typeof rulesSchema> {
  return readLanguageData(language, 'lint.yaml', rulesSchema);
}

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

/** What a linter gets besides the file. */
export interface LintSetup {
  readonly context: CodeContext;
  readonly guide: StyleGuide;
  /** Lines longer than this many columns are reported. */
  readonly lineLength: number;
  /** Called with the number of findings that comments in the text silenced. */
  readonly onSilenced?: (count: number) => void;
}

/** One linter: findings of one file. Throws `CodeSyntaxError` when the text does not parse. */
export type Lint = (file: SourceFile, setup: LintSetup) => Promise<LintFinding[]>;

interface Report extends Pick<Finding, 'message' | 'line' | 'column'> {
  readonly fix?: string | undefined;
  readonly safeFix?: readonly TextEdit[] | undefined;
}

/** The finding of a rule in a file. */
export function findingOf(
  rule: Pick<LintRule, 'name' | 'severity' | 'area'>,
  file: SourceFile,
  { message, line, column, fix, safeFix }: Report,
): LintFinding {
  return {
    severity: rule.severity,
    area: rule.area,
    rule: `${file.language}/${rule.name}`,
    message,
    file: file.path,
    line: Math.max(1, line),
    column: Math.max(1, column),
    ...(fix === undefined ? {} : { fix }),
    ...(safeFix ? { safeFix } : {}),
  };
}

/** Whether a guide wants a rule; `optIn` rules are off unless a guide adds them. */
export function isWanted(guide: StyleGuide, rule: string, optIn = false): boolean {
  if (guide.drops?.includes(rule) === true) return false;
  return !optIn || guide.adds?.includes(rule) === true;
}
