import type { LimitName } from '../contract/sandbox/index.ts';
import { AppError } from '../kernel/index.ts';

/** What one driver lacks, and what would help. */
export interface DriverLack {
  readonly driver: string;
  /** One sentence each. */
  readonly missing: readonly string[];
  /** Exact commands or instructions, without repetition. */
  readonly fixes: readonly string[];
}

/** Drivers are here, but none holds what the policy asks for. Nothing was run. */
export class RefusedByPolicyError extends AppError {
  readonly code = 'sandbox.refused_by_policy';

  constructor(policy: string, lacks: readonly DriverLack[]) {
    super(
      `The program was not run: no sandbox on this machine holds what the policy "${policy}" asks for.\n${describeLacks(lacks)}`,
      { details: { policy, drivers: lacks } },
    );
  }
}

/** No driver works here at all. */
export class SandboxUnavailableError extends AppError {
  readonly code = 'sandbox.unavailable';

  constructor(wanted: string, lacks: readonly DriverLack[]) {
    super(
      `The program was not run: ${wanted === 'auto' ? 'no sandbox works' : `the sandbox "${wanted}" does not work`} on this machine.\n${describeLacks(lacks)}`,
      { details: { wanted, drivers: lacks } },
    );
  }
}

/** A driver that works in principle could not start this sandbox. */
export class SandboxNotStartedError extends AppError {
  readonly code = 'sandbox.not_started';
  override readonly retryable = true;

  constructor(driver: string, reason: string, options: { readonly cause?: unknown } = {}) {
    super(
      `The program was not run: the sandbox "${driver}" could not be started: ${reason}. Run tutti doctor to see what it lacks`,
      { details: { driver, reason }, ...options },
    );
  }
}

/** The programs of a language are not installed where the sandbox looks. */
export class ToolchainMissingError extends AppError {
  readonly code = 'sandbox.toolchain_missing';

  constructor(toolchain: string, missing: ToolchainMissing) {
    super(`The program was not run: ${missing.problem}. ${missing.install}`, {
      details: { toolchain, ...missing },
    });
  }
}

export interface ToolchainMissing {
  /** `no python3 was found in /usr/bin, …` */
  readonly problem: string;
  /** What to do: `Install it: apt install python3`. */
  readonly install: string;
}

/** What was asked for is not a run that a sandbox takes. */
export class InvalidRunError extends AppError {
  readonly code = 'sandbox.invalid_run';

  constructor(problem: string, details: Readonly<Record<string, unknown>> = {}) {
    super(`The program was not run: ${problem}`, { details });
  }
}

/** A limit is no number, or is out of range. */
export class LimitOutOfRangeError extends InvalidRunError {
  constructor(limit: LimitName, bounds: LimitBounds) {
    super(
      `the limit ${limit} is ${bounds.wanted}, and it must be ${bounds.least} to ${bounds.ceiling}; the settings sandbox.ceilings and the machine set the maximum`,
      { limit, ...bounds },
    );
  }
}

export interface LimitBounds {
  readonly wanted: number;
  readonly least: number;
  readonly ceiling: number;
}

/** As many programs run and wait as may. */
export class SandboxBusyError extends AppError {
  readonly code = 'sandbox.too_busy';
  override readonly retryable = true;

  constructor(limits: { readonly maxConcurrent: number; readonly maxWaiting: number }) {
    super(
      `The program was not run: ${limits.maxConcurrent} sandboxes are running and ${limits.maxWaiting} runs wait already. Try again later`,
      { details: { ...limits } },
    );
  }
}

/** The sandbox was closed: Tutti is stopping. */
export class SandboxClosedError extends AppError {
  readonly code = 'sandbox.closed';

  constructor() {
    super('The program was not run: the sandbox is closed, because Tutti is stopping');
  }
}

function describeLacks(lacks: readonly DriverLack[]): string {
  return lacks
    .map(({ driver, missing, fixes }) =>
      [
        `${driver}:`,
        ...missing.map((line) => `  - ${line}`),
        ...fixes.map((line) => `  fix: ${line}`),
      ].join('\n'),
    )
    .join('\n');
}
