import { z } from 'zod';
import { focusAreas, severities, type FocusArea, type Severity } from '../finding.ts';
import { readLanguageData, type Language } from '../language.ts';

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
