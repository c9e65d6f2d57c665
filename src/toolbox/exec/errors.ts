import { AppError } from '../../kernel/index.ts';
import type { CheckFinding } from './check/check-policy.ts';

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

/** The settings require approval before this runs, and the client cannot be asked. */
export class ApprovalNeededError extends AppError {
  readonly code = 'exec.approval_needed';

  constructor(findings: readonly CheckFinding[], because: string) {
    super(
      `The code was not run: ${describeFindings(findings)}. That needs approval, and ${because}`,
      { details: { findings } },
    );
  }
}

/** The user declined to run this. */
export class NotApprovedError extends AppError {
  readonly code = 'exec.not_approved';

  constructor(findings: readonly CheckFinding[]) {
    super(`The code was not run: ${describeFindings(findings)}, and the user declined`, {
      details: { findings },
    });
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

/** A project has more than goes into a sandbox. Nothing ran. */
export class ProjectTooLargeError extends AppError {
  readonly code = 'exec.project_too_large';

  constructor(path: string, unit: 'files' | 'bytes', limit: number) {
    super(
      `The tests of "${path}" were not run: the folder has more than ${limit} ${unit} without what is installed or built. Name the folder of one package of it`,
      { details: { path, unit, limit } },
    );
  }
}

/** Nothing tells how the tests are to be run. */
export class NoTestFrameworkError extends AppError {
  readonly code = 'exec.no_test_framework';

  constructor(reason: string) {
    super(`No tests were run: ${reason}`);
  }
}

/** What the tests need is not installed in the project or on this machine. */
export class TestLibraryMissingError extends AppError {
  readonly code = 'exec.test_library_missing';

  constructor(library: string, install: string) {
    super(`The tests were not run: ${library}. ${install}`, { details: { library } });
  }
}
