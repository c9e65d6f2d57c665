import { AppError } from '../../kernel/index.ts';
import type { CheckFinding } from './check/scan-code.ts';

const maxShown = 5;

/** The check before the run found what the settings refuse. Nothing ran. */
export class RefusedByCheckError extends AppError {
  readonly code = 'exec.refused_by_check';

  constructor(findings: readonly CheckFinding[], settings: readonly string[]) {
    super(
      `The code was not run: ${describeFindings(findings)}. ${settings.join(' and ')} says to refuse that`,
      { details: { findings, settings } },
    );
  }
}

/** The settings want somebody to agree before this runs, and nobody can be asked. */
export class ApprovalNeededError extends AppError {
  readonly code = 'exec.approval_needed';

  constructor(findings: readonly CheckFinding[], because: string) {
    super(
      `The code was not run: ${describeFindings(findings)}. Somebody must agree to that first, and ${because}`,
      { details: { findings } },
    );
  }
}

/** Somebody was asked whether this may run, and said no. */
export class NotApprovedError extends AppError {
  readonly code = 'exec.not_approved';

  constructor(findings: readonly CheckFinding[]) {
    super(
      `The code was not run: ${describeFindings(findings)}, and who was asked did not agree to that`,
      { details: { findings } },
    );
  }
}

/** What was given does not make a program. */
export class InvalidProgramError extends AppError {
  readonly code = 'exec.invalid_program';

  constructor(problem: string, details: Readonly<Record<string, unknown>> = {}) {
    super(`Nothing was run: ${problem}`, { details });
  }
}

function describeFindings(findings: readonly CheckFinding[]): string {
  const shown = findings
    .slice(0, maxShown)
    .map(({ rule, file, line, message }) => `${file}:${line} ${rule} (${message})`);
  const more = findings.length > maxShown ? `, and ${findings.length - maxShown} more` : '';
  return `the check found ${shown.join(', ')}${more}`;
}
