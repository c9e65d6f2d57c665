import { z } from 'zod';
import { languages } from '../language.ts';
import { leftOutField } from '../select/select-sources.ts';

const functionSchema = z.object({
  name: z.string().describe('With the classes and functions around it: Class.method, outer.inner.'),
  start_line: z.int().min(1).describe('Line of the name or keyword, never of a decorator.'),
  end_line: z.int().min(1),
  cyclomatic: z.int().min(1).describe('One more than its decision points.'),
  cognitive: z.int().min(0),
  nesting: z.int().min(0).describe('Deepest control structure; 1 for an if that stands alone.'),
  parameters: z.int().min(0),
  lines: z.int().min(1),
});

const linesSchema = z.object({
  total: z.int().min(0),
  code: z.int().min(0),
  logical: z.int().min(0).describe('Statements, however they are laid out.'),
  comment: z.int().min(0),
  blank: z.int().min(0),
});

const count = z.int().min(0);

const structureSchema = z
  .discriminatedUnion('kind', [
    z.object({
      kind: z.literal('sql'),
      statements: count,
      selects: count,
      joins: count,
      subqueries: count,
      common_table_expressions: count,
      set_operations: count,
      case_expressions: count,
      nesting: count.describe('Queries inside queries; 0 for a query on its own.'),
    }),
    z.object({
      kind: z.literal('html'),
      elements: count,
      scripts: count,
      styles: count,
      forms: count,
      nesting: count.describe('Elements inside elements; 1 for <p></p>.'),
    }),
    z.object({
      kind: z.literal('css'),
      rules: count,
      selectors: count,
      declarations: count,
      at_rules: count,
      important: count,
      nesting: count.describe('Blocks inside blocks; 1 for a { color: red }.'),
    }),
  ])
  .describe('What SQL, HTML and CSS are made of; these are counts, not complexities.');

const numbers = {
  cyclomatic_complexity: z
    .int()
    .min(1)
    .nullable()
    .describe(
      'Of the whole text as if it were one function: one more than all its decision points (several files: their sum). Of a text with one function it is that of the function. null where it does not apply: SQL, HTML, CSS.',
    ),
  cognitive_complexity: z
    .int()
    .min(0)
    .nullable()
    .describe('Sum over all functions and the code outside them. null for SQL, HTML, CSS.'),
  lines_of_code: z.int().min(0).describe('Lines that hold code: no blank or comment lines.'),
  maintainability_index: z
    .number()
    .min(0)
    .max(100)
    .nullable()
    .describe(
      "radon's index, 0 hard to 100 easy (several files: mean weighted by lines of code). null for SQL, HTML, CSS.",
    ),
};

const details = {
  functions: z.array(functionSchema).optional().describe('In source order; only with `detailed`.'),
  lines: linesSchema.optional().describe('Only with `detailed`.'),
  structure: structureSchema.optional(),
};

const fileSchema = z.object({
  path: z.string(),
  language: z.enum(languages),
  ...numbers,
  ...details,
});

/** What `analyze_complexity` returns. */
export const complexitySchema = z.object({
  language: z.enum([...languages, 'mixed']),
  ...numbers,
  recommendations: z.array(z.string()).describe('What to change first, the worst first.'),
  ...details,
  files: z.array(fileSchema).optional().describe('One entry a file, when `path` names several.'),
  failed: z
    .array(z.object({ path: z.string(), code: z.string(), message: z.string() }))
    .optional()
    .describe('Files that could not be measured, when others could; not part of the numbers.'),
  ...leftOutField,
});

export type ComplexityReport = z.infer<typeof complexitySchema>;
export type ComplexityFileReport = z.infer<typeof fileSchema>;
export type FunctionComplexity = z.infer<typeof functionSchema>;
export type LineCounts = z.infer<typeof linesSchema>;
export type Structure = z.infer<typeof structureSchema>;

/** All numbers of one text. */
export type FileComplexity = ComplexityFileReport & {
  readonly functions: FunctionComplexity[];
  readonly lines: LineCounts;
};
