import type { PlanProblem } from '../../../contract/plan/index.ts';
import type { Paint } from '../../output.ts';
import { singleLine } from '../../printable.ts';

/** `FILE:LINE: STEP: message`, as editors and people read it, one line each. */
export function describeProblem(problem: PlanProblem, file: string, paint: Paint): string {
  const { step, line, message, severity } = problem;
  const where = [
    problem.file ?? (file === '-' ? 'stdin' : file),
    ...(line === null ? [] : [line]),
  ].join(':');
  const mark = severity === 'error' ? '' : `${paint.yellow('warning:')} `;
  return `${paint.bold(singleLine(where))}: ${mark}${singleLine(step === null ? message : `${step}: ${message}`)}`;
}
