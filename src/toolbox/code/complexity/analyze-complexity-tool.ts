import { z } from 'zod';
import type { CallContext } from '../../../contract/server/index.ts';
import { AppError, reportError } from '../../../kernel/index.ts';
import { defineTool, type DefinedTool } from '../../define-tool.ts';
import type { CodeContext } from '../code-context.ts';
import { CodeSyntaxError } from '../errors.ts';
import {
  describeLeftOut,
  forEachFile,
  reportLeftOut,
  selectSources,
} from '../select/select-sources.ts';
import { sourceFields, type SourceFile } from '../source-files.ts';
import {
  complexitySchema,
  type ComplexityReport,
  type FileComplexity,
} from './complexity-schema.ts';
import { reportComplexity, type FailedFile } from './report-complexity.ts';

const inputSchema = z.object({
  ...sourceFields,
  detailed: z
    .boolean()
    .default(true)
    .describe('Also list every function with its own numbers, and lines by kind.'),
});

/** `analyze_complexity`: cyclomatic and cognitive complexity, lines, maintainability. */
export function analyzeComplexityTool(context: CodeContext): DefinedTool {
  return defineTool({
    name: 'analyze_complexity',
    title: 'Analyze complexity',
    description:
      "Measures cyclomatic complexity (as radon, ESLint, checkstyle and gocyclo count it), cognitive complexity (SonarSource), lines and radon's maintainability index, for a text or for files, and names the functions to simplify first. SQL, HTML and CSS get counts of what they are made of.",
    input: inputSchema,
    output: complexitySchema,
    annotations: {
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
    examples: [
      'How complex is this function?',
      'Which functions in src/ should I simplify first?',
      'Measure the cognitive complexity of this file',
      'What is the maintainability index of my module?',
      'what is the cyclomatic complexity of this?',
      'which function is the most complicated?',
      'which functions are too long or too deeply nested?',
      'how many lines of code does the project have?',
      'count the lines in this folder',
      'where is the code hardest to maintain?',
      'show me complexity metrics',
      'is this file too long?',
      'how big is this file?',
    ],
    run: async (input, call) => {
      const { own, tests, leftOut } = await selectSources(input, context, call);
      const { measured, failed } = await measureAll([...own, ...tests], context, call);
      return {
        ...reportComplexity(measured, { detailed: input.detailed, failed }),
        ...(leftOut.length > 0 && { left_out: reportLeftOut(leftOut) }),
      };
    },
    summarize: describeReport,
  });
}

/** Measures each file; a file that cannot be read fails the call only when it is the only one. */
async function measureAll(
  files: readonly SourceFile[],
  context: CodeContext,
  call: CallContext,
): Promise<{ readonly measured: FileComplexity[]; readonly failed: FailedFile[] }> {
  const measured: FileComplexity[] = [];
  const failed: FailedFile[] = [];
  await forEachFile(files, call, {
    work: async (file) => measured.push(await measureChecked(file, context)),
    onError: (file, error) => {
      if (!(error instanceof AppError)) return false;
      const { code, message } = reportError(error);
      failed.push({ path: file.path, code, message });
      return true;
    },
  });
  return { measured, failed };
}

async function measureChecked(file: SourceFile, context: CodeContext): Promise<FileComplexity> {
  const [{ checkSyntax }, { measureComplexity }] = await Promise.all([
    import('../format/format-source.ts'),
    import('./measure-complexity.ts'),
  ]);
  const problem = await checkSyntax(file, context);
  if (problem) throw new CodeSyntaxError(problem);
  return measureComplexity(file, context);
}

function describeReport(report: ComplexityReport): string {
  const { recommendations } = report;
  const numbers = [
    `cyclomatic ${report.cyclomatic_complexity ?? 'not applicable'}`,
    `cognitive ${report.cognitive_complexity ?? 'not applicable'}`,
    `lines of code ${report.lines_of_code}`,
    `maintainability ${report.maintainability_index ?? 'not applicable'}`,
  ];
  const advice =
    recommendations.length > 0
      ? recommendations
      : ['Nothing stands out.', ...describeMostComplex(report)];
  return [
    `${report.language}: ${numbers.join(', ')}`,
    ...advice.map((one) => `- ${one}`),
    ...describeLeftOut(report.left_out ?? []),
  ].join('\n');
}

const maxShown = 3;

/** Without anything to simplify, "which is the most complex?" still has an answer. */
function describeMostComplex({ functions = [], files = [] }: ComplexityReport): string[] {
  const all = [
    ...functions.map((one) => ({ ...one, at: `line ${one.start_line}` })),
    ...files.flatMap(({ path, functions: own = [] }) =>
      own.map((one) => ({ ...one, at: `${path}:${one.start_line}` })),
    ),
  ].sort((a, b) => b.cognitive - a.cognitive || b.cyclomatic - a.cyclomatic);
  const shown = all
    .slice(0, maxShown)
    .map(
      (one) => `${one.name} (${one.at}): cyclomatic ${one.cyclomatic}, cognitive ${one.cognitive}`,
    );
  return shown.length > 0 ? [`The most complex: ${shown.join('; ')}`] : [];
}
