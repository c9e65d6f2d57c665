import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';
import { ownFile } from '../../../kernel/index.ts';
import { focusAreas, severities, type FocusArea, type Severity } from '../finding.ts';
import type { Language } from '../language.ts';

const ruleSchema = z.strictObject({
  /** Runs only under style guides that add it. */
  optIn: z.literal(true).optional(),
  /** Left out in tests. */
  tests: z.literal('skip').optional(),
  /** Tree-sitter patterns; `@at` is the node to report, `@edit` the one to change if it is another. */
  query: z.string().optional(),
  /** `{name}` stands for the text of the capture. */
  message: z.string().optional(),
  fix: z.string().optional(),
  remove: z.literal(true).optional(),
  /** A regular expression over the text of the node, and what its match becomes. */
  replace: z.tuple([z.string(), z.string()]).optional(),
});

const rulesSchema = z.strictObject({
  rules: z.record(
    z.templateLiteral([z.enum(severities), ' ', z.enum(focusAreas)]),
    z.record(z.string(), z.union([ruleSchema, z.array(ruleSchema)])),
  ),
});

/** A rule as a language's `lint.yaml` describes it. */
export type LintRule = z.infer<typeof ruleSchema> & {
  readonly name: string;
  readonly severity: Severity;
  readonly area: FocusArea;
};

const loaded = new Map<Language, readonly LintRule[]>();

/** The rules in `languages/<language>/lint.yaml`; a name may stand for several. Read once. */
export function readRules(language: Language): readonly LintRule[] {
  const rules = loaded.get(language) ?? parseRules(language);
  loaded.set(language, rules);
  return rules;
}

function parseRules(language: Language): readonly LintRule[] {
  const text = readFileSync(ownFile(`toolbox/code/languages/${language}/lint.yaml`), 'utf8');
  return Object.entries(rulesSchema.parse(parse(text)).rules).flatMap(([group, rules]) => {
    // The schema knows no other keys than a severity and an area.
    const [severity, area] = group.split(' ') as [Severity, FocusArea];
    return Object.entries(rules).flatMap(([name, checks]) =>
      [checks].flat().map((check) => ({ ...check, name, severity, area })),
    );
  });
}
