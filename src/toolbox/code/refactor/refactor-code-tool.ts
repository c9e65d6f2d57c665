import { pluralize } from '../../../kernel/index.ts';
import { z } from 'zod';
import { defineTool, type DefinedTool } from '../../define-tool.ts';
import type { CodeContext } from '../code-context.ts';
import { styleGuideNames } from '../language.ts';
import { describeLeftOut, leftOutField } from '../select/select-sources.ts';
import { sourceFields } from '../source-files.ts';
import texts from '../tools.json' with { type: 'json' };

const maxRules = 100;

const input = z.object({
  ...sourceFields,
  style_guide: z
    .enum(styleGuideNames())
    .optional()
    .describe("Whose rules to follow; each language's default when not given."),
  rules: z
    .array(z.string().min(1))
    .max(maxRules)
    .optional()
    .describe('Apply only fixes of these rules, e.g. python/F401 or F401.'),
});

const count = z.int().min(0);
const fix = z.object({
  rule: z.string(),
  file: z.string(),
  line: z.int().min(1).describe('In the text at the time; in the first round, as given.'),
  message: z.string(),
});

const output = z.object({
  refactored_code: z.string().optional().describe('Only when one text was given.'),
  diff: z.string().describe('Unified diff of everything that changed; empty when nothing did.'),
  files: z.array(z.object({ path: z.string(), fixes: count, diff_lines: count })),
  changes: z
    .array(z.object({ path: z.string(), content: z.string() }))
    .optional()
    .describe('The changed files, as workspace.apply_changes takes them; with `path`.'),
  fixes_applied: z.array(fix),
  fixes_total: count,
  remaining: count.describe('Findings of the linters that no safe fix cures.'),
  files_examined: count,
  ...leftOutField,
  notes: z.array(z.string()),
  made_without_model: z.literal(true),
});

export type RefactorOutput = z.output<typeof output>;

/** `refactor_code`: fixes that cannot change what the program does, as a diff. Writes nothing. */
export function refactorCodeTool(context: CodeContext): DefinedTool {
  return defineTool({
    ...texts.refactor_code,
    input,
    output,
    run: async (request, call) => {
      const { refactorSources } = await import('./refactor-sources.ts');
      return refactorSources(request, call, context);
    },
    summarize,
  });
}

function summarize(result: RefactorOutput): string {
  const head = `${pluralize(result.fixes_total, 'fix', 'fixes')} in ${result.files.length} of ${pluralize(result.files_examined, 'file')}, ${pluralize(result.remaining, 'finding')} left`;
  const leftOut = describeLeftOut(result.left_out ?? []);
  return [head, ...result.notes, ...leftOut, ...(result.diff === '' ? [] : [result.diff])].join(
    '\n',
  );
}
