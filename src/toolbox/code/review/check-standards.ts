import type { FunctionComplexity } from '../complexity/complexity-schema.ts';
import type { LintFinding } from '../lint/lint-finding.ts';
import type { SourceFile } from '../source-files.ts';
import type { CodeStandard } from './code-standard.ts';

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
