import { z } from 'zod';
import { lookupTable, recordOf } from '../../kernel/index.ts';
import data from './languages.json' with { type: 'json' };

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
      const isTable = typeof value === 'object' && value !== null && !Array.isArray(value);
      return [key, isTable ? { ...recordOf(own[key]), ...value } : value] as const;
    });
    merged[language] = { ...own, ...Object.fromEntries(entries) };
  }
  return merged;
}

const names = z.record(z.string(), z.string());

/** How people spell languages, what a test framework says about its language, and known style guides. */
const tables = z
  .strictObject({ aliases: names, frameworks: names, styles: z.array(z.string()) })
  .parse(data);
const aliases = lookupTable(tables.aliases);
const frameworks = lookupTable(tables.frameworks);

export const knownFrameworks: readonly string[] = Object.keys(frameworks);
export const knownStyles: readonly string[] = tables.styles;

const prefix = 'standards://';

interface StandardTexts {
  readonly texts: ReadonlyMap<string, unknown>;
}

/** Languages with a standard, in order. */
export function languagesOf(snapshot: StandardTexts): string[] {
  return [...snapshot.texts.keys()]
    .filter((uri) => uri.startsWith(prefix))
    .map((uri) => uri.slice(prefix.length))
    .sort();
}

/** The name a standard is kept under, however people spell the language; `undefined` if there is none. */
export function resolveLanguage(snapshot: StandardTexts, given: string): string | undefined {
  const lower = given.trim().toLowerCase();
  return [lower, aliases[lower]].find((name) => snapshot.texts.has(prefix + name));
}

export function languageOfFramework(framework: string): string | undefined {
  return frameworks[framework.trim().toLowerCase()];
}
