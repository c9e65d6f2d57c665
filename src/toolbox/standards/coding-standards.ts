import { z } from 'zod';

/** What tools can check of a language's standard. Teams may add keys of their own. */
export const languageRulesSchema = z.looseObject({
  style: z.string().min(1).describe('Name of the style guide.'),
  line_length: z.int().min(20).max(1000),
  indent: z.union([z.int().min(1).max(16), z.literal('tab')]).optional(),
  type_hints: z
    .enum(['required', 'recommended', 'optional', 'inherent', 'none'])
    .describe('inherent: the language is typed anyway.'),
  docstrings: z.string().min(1).describe('Style of documentation comments, or none.'),
  complexity_limit: z.int().min(1).max(1000),
  max_function_lines: z.int().min(1).max(100_000),
  max_parameters: z.int().min(0).max(1000),
  max_file_lines: z.int().min(1).max(1_000_000).optional(),
  max_nesting: z.int().min(1).max(100).optional(),
  formatter: z.string().optional(),
  linter: z.string().optional(),
  test_framework: z.string().optional(),
  naming: z.record(z.string(), z.string()).optional(),
});

export type LanguageRules = z.output<typeof languageRulesSchema>;

export const codingStandardsSchema = z.record(
  z.string().regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, 'a language name in lower case'),
  languageRulesSchema,
);

export type CodingStandards = z.output<typeof codingStandardsSchema>;

/** An override names only what differs; a new language must be complete. */
export const codingStandardsOverrideSchema = z.record(
  z.string().regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, 'a language name in lower case'),
  languageRulesSchema.partial(),
);

/** The limits a reviewer of code needs. */
export interface StandardLimits {
  readonly line_length: number;
  readonly complexity_limit: number;
  readonly max_function_lines: number;
  readonly max_parameters: number;
  /** Absent when the team sets no such limit for the language. */
  readonly max_file_lines?: number;
  readonly max_nesting?: number;
  readonly docstrings: string;
  readonly type_hints: string;
}

export function limitsOf(rules: LanguageRules): StandardLimits {
  return {
    line_length: rules.line_length,
    complexity_limit: rules.complexity_limit,
    max_function_lines: rules.max_function_lines,
    max_parameters: rules.max_parameters,
    ...(rules.max_file_lines === undefined ? {} : { max_file_lines: rules.max_file_lines }),
    ...(rules.max_nesting === undefined ? {} : { max_nesting: rules.max_nesting }),
    docstrings: rules.docstrings,
    type_hints: rules.type_hints,
  };
}

/** Key by key; objects inside (such as `naming`) too, everything else is replaced. */
export function mergeStandards(
  base: CodingStandards,
  override: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
): Readonly<Record<string, unknown>> {
  const merged: Record<string, unknown> = { ...base };
  for (const [language, rules] of Object.entries(override)) {
    merged[language] = mergeRules(base[language] ?? {}, rules);
  }
  return merged;
}

function mergeRules(
  base: Readonly<Record<string, unknown>>,
  override: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const merged: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(override)) {
    const own = merged[key];
    merged[key] = isRecord(own) && isRecord(value) ? { ...own, ...value } : value;
  }
  return merged;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
