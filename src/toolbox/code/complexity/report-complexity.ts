import type { ComplexityFileReport, ComplexityReport } from './complexity-schema.ts';
import type { FileComplexity, FunctionComplexity } from './measure-complexity.ts';
import { recommend } from './recommend.ts';

export interface FailedFile {
  readonly path: string;
  readonly code: string;
  readonly message: string;
}

export interface ReportOptions {
  readonly detailed: boolean;
  /** Files that could not be measured. */
  readonly failed: readonly FailedFile[];
}

/** The measures of one or more files as the tool returns them. */
export function reportComplexity(
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
    cyclomatic_complexity: sum(files, ({ cyclomatic }) => cyclomatic),
    cognitive_complexity: sum(files, ({ cognitive }) => cognitive),
    lines_of_code: files.reduce((total, { linesOfCode }) => total + linesOfCode, 0),
    maintainability_index: meanIndex(files),
    recommendations,
    files: files.map((file) => reportFile(file, options.detailed)),
    ...(options.failed.length > 0 ? { failed: [...options.failed] } : {}),
  };
}

function reportFile(file: FileComplexity, detailed: boolean): ComplexityFileReport {
  return {
    path: file.path,
    language: file.language,
    cyclomatic_complexity: file.cyclomatic,
    cognitive_complexity: file.cognitive,
    lines_of_code: file.linesOfCode,
    maintainability_index:
      file.maintainabilityIndex === null ? null : round(file.maintainabilityIndex),
    ...(file.structure ? { structure: file.structure } : {}),
    ...(detailed ? { functions: file.functions.map(reportFunction), lines: file.lines } : {}),
  };
}

function reportFunction(
  one: FunctionComplexity,
): NonNullable<ComplexityFileReport['functions']>[0] {
  const { name, startLine, endLine, cyclomatic, cognitive, nesting, parameters, lines } = one;
  return {
    name,
    start_line: startLine,
    end_line: endLine,
    cyclomatic,
    cognitive,
    nesting,
    parameters,
    lines,
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
  for (const { maintainabilityIndex, linesOfCode } of files) {
    if (maintainabilityIndex === null) continue;
    const weight = Math.max(1, linesOfCode);
    weighted += maintainabilityIndex * weight;
    weights += weight;
  }
  return weights === 0 ? null : round(weighted / weights);
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
