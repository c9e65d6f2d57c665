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

const languageName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, 'a language name in lower case');

export const codingStandardsSchema = z.record(languageName, languageRulesSchema);

export type CodingStandards = z.output<typeof codingStandardsSchema>;

/** An override names only what differs; a new language must be complete. */
export const codingStandardsOverrideSchema = z.record(languageName, languageRulesSchema.partial());

/** The limits a reviewer of code needs. */
export const standardLimitsSchema = languageRulesSchema
  .pick({
    line_length: true,
    complexity_limit: true,
    max_function_lines: true,
    max_parameters: true,
    max_file_lines: true,
    max_nesting: true,
    docstrings: true,
    type_hints: true,
  })
  .strip();

/** Key by key; objects inside (such as `naming`) too, everything else is replaced. */
export function mergeStandards(
  base: CodingStandards,
  override: z.output<typeof codingStandardsOverrideSchema>,
): Readonly<Record<string, unknown>> {
  const merged: Record<string, unknown> = { ...base };
  for (const [language, rules] of Object.entries(override)) {
    const own: Readonly<Record<string, unknown>> = base[language] ?? {};
    const entries = Object.entries(rules).map(([key, value]) => {
      const isMerged = isRecord(own[key]) && isRecord(value);
      return [key, isMerged ? { ...Object(own[key]), ...value } : value] as const;
    });
    merged[language] = { ...own, ...Object.fromEntries(entries) };
  }
  return merged;
}

function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
