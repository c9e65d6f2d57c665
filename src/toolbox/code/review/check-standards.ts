import type { FunctionComplexity } from '../complexity/measure-complexity.ts';
import type { FocusArea } from '../finding.ts';
import type { LintFinding } from '../lint/lint-finding.ts';
import type { SourceFile } from '../source-files.ts';
import type { CodeStandard } from './code-standard.ts';

/** Over twice the limit is major. */
const majorFactor = 2;

/** What of a file is over the limits of a standard. */
export function checkStandards(
  file: SourceFile,
  functions: readonly FunctionComplexity[],
  standard: CodeStandard,
): LintFinding[] {
  const findings = functions.flatMap((measured) => checkFunction(file, measured, standard));
  const lines = file.text.split('\n').length;
  if (lines > standard.fileLines) {
    findings.push({
      severity: 'minor',
      area: 'maintainability',
      rule: `${file.language}/file-length`,
      message: `The file has ${lines} lines, more than ${standard.fileLines}`,
      file: file.path,
      line: 1,
      column: 1,
    });
  }
  return findings;
}

function checkFunction(
  file: SourceFile,
  measured: FunctionComplexity,
  standard: CodeStandard,
): LintFinding[] {
  const { name, nesting, parameters, lines } = measured;
  const { nestingLimit, parameterLimit, functionLines } = standard;
  const excesses: (Excess | undefined)[] = [
    describeComplexity(measured, standard),
    nesting > nestingLimit
      ? excess(
          'nesting-depth',
          'complexity',
          `${name} nests ${nesting} deep, more than ${nestingLimit}`,
        )
      : undefined,
    parameters > parameterLimit
      ? excess(
          'parameter-count',
          'standards',
          `${name} takes ${parameters} parameters, more than ${parameterLimit}`,
        )
      : undefined,
    lines > functionLines
      ? excess(
          'function-length',
          'maintainability',
          `${name} has ${lines} lines, more than ${functionLines}`,
        )
      : undefined,
  ];
  return excesses.flatMap((found) =>
    found
      ? [
          {
            ...found,
            rule: `${file.language}/${found.rule}`,
            file: file.path,
            line: measured.startLine,
            column: 1,
          },
        ]
      : [],
  );
}

type Excess = Pick<LintFinding, 'severity' | 'area' | 'rule' | 'message'>;

function excess(rule: string, area: FocusArea, message: string): Excess {
  return { severity: 'minor', area, rule, message };
}

/** Both complexities tell of one cause, so they make one finding, as severe as the worse of them. */
function describeComplexity(
  measured: FunctionComplexity,
  standard: CodeStandard,
): Excess | undefined {
  const { name, cyclomatic, cognitive } = measured;
  const share = Math.max(
    cyclomatic / standard.cyclomaticLimit,
    cognitive / standard.cognitiveLimit,
  );
  if (share <= 1) return undefined;
  return {
    rule: 'complexity',
    area: 'complexity',
    severity: share > majorFactor ? 'major' : 'minor',
    message:
      `${name} has cyclomatic complexity ${cyclomatic} (limit ${standard.cyclomaticLimit}) ` +
      `and cognitive complexity ${cognitive} (limit ${standard.cognitiveLimit})`,
  };
}
