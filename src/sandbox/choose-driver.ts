import type { DriverReport } from '../contract/sandbox/index.ts';
import type { Clock } from '../kernel/index.ts';
import type { SandboxDriver } from './driver.ts';
import {
  RefusedByPolicyError,
  SandboxClosedError,
  SandboxUnavailableError,
  type DriverLack,
} from './errors.ts';
import { judge, type PolicyName } from './policy.ts';
import type { ProbeCache } from './probe/probe-cache.ts';

export interface ChoiceOptions {
  /** In order of preference. */
  readonly drivers: readonly SandboxDriver[];
  /** `auto`, or the name of the one driver to use. */
  readonly wanted: string;
  readonly policy: PolicyName;
  readonly clock: Clock;
  readonly cache: ProbeCache;
}

/** How long a refusal stands before drivers are tried again: canaries cost a second of computing. */
const refusalMs = 5000;

/**
 * Which driver runs programs. Once chosen it stays: there is no falling back to another one, and never
 * to less than the policy asks for.
 */
export class DriverChoice {
  readonly #options: ChoiceOptions;
  #choice: Promise<SandboxDriver> | undefined;
  #refusedAt: number | undefined;
  readonly #probing = new Map<SandboxDriver, Promise<DriverReport>>();
  readonly #closing = new AbortController();

  constructor(options: ChoiceOptions) {
    this.#options = options;
  }

  /** Throws `sandbox.refused_by_policy` or `sandbox.unavailable` with what each driver lacks. */
  choose(): Promise<SandboxDriver> {
    const { clock } = this.#options;
    if (this.#refusedAt !== undefined && clock.now() - this.#refusedAt >= refusalMs) {
      this.#choice = undefined;
      this.#refusedAt = undefined;
    }
    this.#choice ??= this.#decide().catch((error: unknown) => {
      this.#refusedAt = clock.now();
      throw error;
    });
    return this.#choice;
  }

  /** What every driver can do here, one after the other: canaries measure time. */
  async examine(): Promise<DriverReport[]> {
    const reports: DriverReport[] = [];
    for (const driver of this.#options.drivers) reports.push(await this.#reportOf(driver));
    return reports;
  }

  /** Ends the canaries that run. */
  async close(): Promise<void> {
    this.#closing.abort(new SandboxClosedError());
    await Promise.allSettled(this.#probing.values());
  }

  async #decide(): Promise<SandboxDriver> {
    const { drivers, wanted, policy } = this.#options;
    const candidates = drivers.filter(({ name }) => wanted === 'auto' || name === wanted);
    const lacks: DriverLack[] = [];
    let isAnyThere = false;
    for (const driver of candidates) {
      const report = await this.#reportOf(driver);
      const judgement = judge(report, policy);
      if (judgement.kind !== 'allowed') {
        lacks.push(judgement.lack);
        isAnyThere ||= judgement.kind === 'refused';
      } else if (report.state === 'unproven' && wanted === 'auto') {
        isAnyThere = true;
        lacks.push(unproven(report));
      } else return driver;
    }
    if (candidates.length === 0) lacks.push(unknownDriver(wanted, drivers));
    throw isAnyThere
      ? new RefusedByPolicyError(policy, lacks)
      : new SandboxUnavailableError(wanted, lacks);
  }

  /** Several callers share one probe. */
  #reportOf(driver: SandboxDriver): Promise<DriverReport> {
    const running = this.#probing.get(driver);
    if (running) return running;
    const probing = this.#probe(driver).finally(() => this.#probing.delete(driver));
    this.#probing.set(driver, probing);
    return probing;
  }

  async #probe(driver: SandboxDriver): Promise<DriverReport> {
    const known = await this.#options.cache.find(driver);
    if (known) return known;
    const { signal } = this.#closing;
    signal.throwIfAborted();
    const report = await driver.probe(signal);
    // Canaries that were ended prove nothing.
    signal.throwIfAborted();
    await this.#options.cache.keep(driver, report);
    return report;
  }
}

function unproven(report: DriverReport): DriverLack {
  return {
    driver: report.driver,
    missing: [`it was never proven on such a machine: ${report.message}`],
    fixes: [`name it to use it all the same: sandbox.driver = "${report.driver}"`],
  };
}

function unknownDriver(wanted: string, drivers: readonly SandboxDriver[]): DriverLack {
  const names = drivers.map(({ name }) => name).join(', ') || 'none';
  return {
    driver: wanted,
    missing: ['there is no driver of that name on this system'],
    fixes: [`choose auto or one of: ${names}`],
  };
}
