import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A problem a malformed plan must be told. */
export interface ExpectedProblem {
  readonly code: string;
  readonly step: string | null;
  readonly line: number | null;
}

export interface PlanCase {
  /** `file: title`. */
  readonly name: string;
  readonly text: string;
  /** Exactly these errors, in this order; none for a plan that is fine. */
  readonly errors: readonly ExpectedProblem[];
  /** A parser that lost its way may say more: `& *` at the end. */
  readonly mayHaveMore: boolean;
  /** `# policy: NAME` in its first line. */
  readonly policy: 'plan' | 'destructive' | 'effects';
}

/** Cases of `*.plans` files: `=== TITLE :: CODE STEP LINE & …`, then the plan; `-` for none. */
export function readPlanCases(folder: string): readonly PlanCase[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.plans'))
    .sort()
    .flatMap((file) =>
      readCases(file.replace('.plans', ''), readFileSync(join(folder, file), 'utf8')),
    );
}

function readCases(file: string, text: string): PlanCase[] {
  return text
    .split(/^=== /m)
    .slice(1)
    .map((part) => {
      const end = part.indexOf('\n');
      const [title = '', expected = ''] = part.slice(0, end).split(' :: ');
      const plan = part.slice(end + 1);
      const policy = /^# policy: (destructive|effects)\n/.exec(plan)?.[1];
      return {
        name: `${file}: ${title.trim()}`,
        text: plan,
        errors: expected
          .split(' & ')
          .filter((one) => one.trim() !== '' && one !== '*')
          .map(readExpected),
        mayHaveMore: expected.endsWith('& *'),
        policy: policy === 'destructive' || policy === 'effects' ? policy : 'plan',
      };
    });
}

function readExpected(text: string): ExpectedProblem {
  const [code = '', step = '-', line = '-'] = text.trim().split(' ');
  return { code, step: step === '-' ? null : step, line: line === '-' ? null : Number(line) };
}
