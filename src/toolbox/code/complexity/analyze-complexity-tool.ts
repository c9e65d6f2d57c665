import { z } from 'zod';
import type { CallContext } from '../../../contract/server/index.ts';
import { AppError, pluralize, reportError } from '../../../kernel/index.ts';
import { type DefinedTool, defineTool } from '../../define-tool.ts';
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
  type ComplexityFileReport,
  type ComplexityReport,
  complexitySchema,
  type FileComplexity,
  type FunctionComplexity,
} from './complexity-schema.ts';
import texts from '../tools.json' with { type: 'json' };

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
    ...texts.analyze_complexity,
    input: inputSchema,
    output: complexitySchema,
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

interface FailedFile {
  readonly path: string;
  readonly code: string;
  readonly message: string;
}

interface ReportOptions {
  readonly detailed: boolean;
  /** Files that could not be measured. */
  readonly failed: readonly FailedFile[];
}

/** The measures of one or more files as the tool returns them. */
function reportComplexity(
  files: readonly FileComplexity[],
  options: ReportOptions,
): ComplexityReport {
  const recommendations = recommend(files);
  const [first] = files;
  if (files.length === 1 && first && options.failed.length === 0) {
    const { path: _, ...report } = reportFile(first, options.detailed);
    return { ...report, recommendations };
  }
  const spoken = new Set(files.map(({ language }) => language));
  return {
    language: spoken.size === 1 && first ? first.language : 'mixed',
    cyclomatic_complexity: sum(files, (file) => file.cyclomatic_complexity),
    cognitive_complexity: sum(files, (file) => file.cognitive_complexity),
    lines_of_code: files.reduce((total, file) => total + file.lines_of_code, 0),
    maintainability_index: meanIndex(files),
    recommendations,
    files: files.map((file) => reportFile(file, options.detailed)),
    ...(options.failed.length > 0 ? { failed: [...options.failed] } : {}),
  };
}

function reportFile(
  { functions, lines, ...file }: FileComplexity,
  detailed: boolean,
): ComplexityFileReport {
  const index = file.maintainability_index;
  return {
    ...file,
    maintainability_index: index === null ? null : round(index),
    ...(detailed ? { functions, lines } : {}),
  };
}

function sum(
  files: readonly FileComplexity[],
  value: (file: FileComplexity) => number | null,
): number | null {
  const values = files.map(value).filter((one) => one !== null);
  return values.length === 0 ? null : values.reduce((total, one) => total + one, 0);
}

/** A large file weighs more than a small one. */
function meanIndex(files: readonly FileComplexity[]): number | null {
  let weighted = 0;
  let weights = 0;
  for (const { maintainability_index: index, lines_of_code: lines } of files) {
    if (index === null) continue;
    const weight = Math.max(1, lines);
    weighted += index * weight;
    weights += weight;
  }
  return weights === 0 ? null : round(weighted / weights);
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

/** Above these a function is worth a second look; the documentation explains each. */
const complexityLimits = {
  cyclomatic: 10,
  cognitive: 15,
  nesting: 4,
  parameters: 6,
  lines: 100,
  /** Below this radon ranks a module B. */
  maintainabilityIndex: 20,
  queryNesting: 3,
  elementNesting: 16,
  blockNesting: 4,
} as const;

const maxRecommendations = 20;

/** What to change first, the worst function first; empty when nothing stands out. */
function recommend(files: readonly FileComplexity[]): string[] {
  const ranked = files.flatMap((file) => [
    ...file.functions.flatMap((one) => judgeFunction(file, one)),
    ...judgeFile(file),
  ]);
  ranked.sort((a, b) => b.excess - a.excess);
  const shown = ranked.slice(0, maxRecommendations).map(({ text }) => text);
  const left = ranked.length - shown.length;
  return left > 0
    ? [...shown, `${pluralize(left, 'less important recommendation')} left out`]
    : shown;
}

interface Recommendation {
  /** How many times over its limit. */
  readonly excess: number;
  readonly text: string;
}

function judgeFunction(file: FileComplexity, one: FunctionComplexity): Recommendation[] {
  const { cyclomatic, cognitive, nesting, parameters, lines } = one;
  const limits = complexityLimits;
  const over: string[] = [];
  const judge = (value: number, limit: number, words: string): number => {
    if (value > limit) over.push(`${words} ${value} is above ${limit}`);
    return value / limit;
  };
  const excess = Math.max(
    judge(cyclomatic, limits.cyclomatic, 'cyclomatic complexity'),
    judge(cognitive, limits.cognitive, 'cognitive complexity'),
    judge(nesting, limits.nesting, 'nesting'),
    judge(parameters, limits.parameters, 'the number of parameters'),
    judge(lines, limits.lines, 'the number of lines'),
  );
  if (over.length === 0) return [];
  const advice = adviceFor(one);
  return [
    { excess, text: `${one.name} (${file.path}:${one.start_line}): ${over.join(', ')}; ${advice}` },
  ];
}

function adviceFor({ cyclomatic, cognitive, nesting, parameters }: FunctionComplexity): string {
  const limits = complexityLimits;
  if (nesting > limits.nesting) return 'return early or move the inner part into a function';
  if (cognitive > limits.cognitive) return 'split it where its branches do different things';
  if (cyclomatic > limits.cyclomatic) return 'move groups of branches into functions or a table';
  if (parameters > limits.parameters) return 'pass an object';
  return 'split it into steps with names';
}

function judgeFile(file: FileComplexity): Recommendation[] {
  const { path, maintainability_index: index, structure } = file;
  const limits = complexityLimits;
  if (index !== null && index < limits.maintainabilityIndex) {
    const text = `${path}: maintainability index ${index.toFixed(1)} is below ${limits.maintainabilityIndex}; split the file by what its functions are about`;
    return [{ excess: limits.maintainabilityIndex / Math.max(index, 1), text }];
  }
  if (!structure) return [];
  const { limit, advice } = structureAdvice[structure.kind];
  if (structure.nesting <= limit) return [];
  const text = `${path}: nesting ${structure.nesting} is above ${limit}; ${advice}`;
  return [{ excess: structure.nesting / limit, text }];
}

const structureAdvice = {
  sql: {
    limit: complexityLimits.queryNesting,
    advice: 'name inner queries as common table expressions',
  },
  html: { limit: complexityLimits.elementNesting, advice: 'drop elements that only wrap others' },
  css: { limit: complexityLimits.blockNesting, advice: 'use flatter selectors' },
} as const;
