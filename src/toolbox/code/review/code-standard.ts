import { silentLog } from '../../../kernel/index.ts';
import type { FunctionComplexity } from '../complexity/complexity-schema.ts';
import { languages, type Language } from '../language.ts';
import type { LintFinding } from '../lint/lint-data.ts';
import type { SourceFile } from '../source-files.ts';

/** The limits a team sets itself. What is over a limit is an issue. */
export interface CodeStandard {
  readonly cyclomaticLimit: number;
  readonly cognitiveLimit: number;
  readonly nestingLimit: number;
  readonly parameterLimit: number;
  readonly functionLines: number;
  readonly fileLines: number;
}

export type CodeStandards = Readonly<Record<Language, CodeStandard>>;

const usual: CodeStandard = {
  cyclomaticLimit: 10,
  cognitiveLimit: 15,
  nestingLimit: 4,
  parameterLimit: 5,
  functionLines: 60,
  fileLines: 1_000,
};

/** What is used where a team has set nothing. */
export const defaultCodeStandards: CodeStandards = {
  python: usual,
  javascript: usual,
  typescript: usual,
  java: { ...usual, parameterLimit: 7 },
  go: { ...usual, functionLines: 80 },
  rust: { ...usual, parameterLimit: 7, functionLines: 100 },
  sql: usual,
  html: usual,
  css: usual,
};

/** Over twice the limit is major. */
const majorFactor = 2;

type Excess = Pick<LintFinding, 'severity' | 'area' | 'rule' | 'message'>;

/** What of a file is over the limits of a standard. */
export function checkStandards(
  file: SourceFile,
  functions: readonly FunctionComplexity[],
  standard: CodeStandard,
): LintFinding[] {
  const report = (excess: Excess, line: number): LintFinding => ({
    ...excess,
    rule: `${file.language}/${excess.rule}`,
    file: file.path,
    line,
    column: 1,
  });
  const findings = functions.flatMap((measured) =>
    findExcesses(measured, standard).map((excess) => report(excess, measured.start_line)),
  );
  const lines = file.text.split('\n').length;
  if (lines <= standard.fileLines) return findings;
  const message = `The file has ${lines} lines, more than ${standard.fileLines}`;
  const long = {
    severity: 'minor',
    area: 'maintainability',
    rule: 'file-length',
    message,
  } as const;
  return [...findings, report(long, 1)];
}

function findExcesses(measured: FunctionComplexity, standard: CodeStandard): readonly Excess[] {
  const { name, nesting, parameters, lines } = measured;
  const { nestingLimit, parameterLimit, functionLines } = standard;
  const minor = { severity: 'minor' } as const;
  const excesses: Excess[] = [...describeComplexity(measured, standard)];
  if (nesting > nestingLimit) {
    const message = `${name} nests ${nesting} deep, more than ${nestingLimit}`;
    excesses.push({ ...minor, rule: 'nesting-depth', area: 'complexity', message });
  }
  if (parameters > parameterLimit) {
    const message = `${name} takes ${parameters} parameters, more than ${parameterLimit}`;
    excesses.push({ ...minor, rule: 'parameter-count', area: 'standards', message });
  }
  if (lines > functionLines) {
    const message = `${name} has ${lines} lines, more than ${functionLines}`;
    excesses.push({ ...minor, rule: 'function-length', area: 'maintainability', message });
  }
  return excesses;
}

/** Both complexities tell of one cause, so they make one finding, as severe as the worse of them. */
function describeComplexity(
  { name, cyclomatic, cognitive }: FunctionComplexity,
  { cyclomaticLimit, cognitiveLimit }: CodeStandard,
): readonly Excess[] {
  const share = Math.max(cyclomatic / cyclomaticLimit, cognitive / cognitiveLimit);
  if (share <= 1) return [];
  const severity = share > majorFactor ? 'major' : 'minor';
  const message =
    `${name} has cyclomatic complexity ${cyclomatic} (limit ${cyclomaticLimit}) ` +
    `and cognitive complexity ${cognitive} (limit ${cognitiveLimit})`;
  return [{ severity, area: 'complexity', rule: 'complexity', message }];
}

/**
 * The limits of the team's standards as they are now, the project's overrides in `directory` included.
 * Faulty overrides are reported by the standards server, so this says nothing about them.
 */
export function teamStandards(directory: string | undefined): () => Promise<CodeStandards> {
  let reader: Promise<LimitsReader> | undefined;
  return async () => {
    reader ??= openReader(directory);
    const read = await reader;
    const entries = await Promise.all(
      languages.map(async (language) => [language, await readStandard(language, read)] as const),
    );
    // One entry for each language there is.
    return Object.fromEntries(entries) as Record<Language, CodeStandard>;
  };
}

type LimitsReader = Awaited<ReturnType<typeof openReader>>;

async function openReader(directory: string | undefined) {
  const { createStandardLimitsReader } = await import('../../standards/index.ts');
  return createStandardLimitsReader({ project: directory, log: silentLog });
}

async function readStandard(language: Language, read: LimitsReader): Promise<CodeStandard> {
  const usual = defaultCodeStandards[language];
  const limits = await read(language);
  if (!limits) return usual;
  return {
    ...usual,
    cyclomaticLimit: limits.complexity_limit,
    nestingLimit: limits.max_nesting ?? usual.nestingLimit,
    parameterLimit: limits.max_parameters,
    functionLines: limits.max_function_lines,
    fileLines: limits.max_file_lines ?? usual.fileLines,
  };
}
