import {
  type DriverReport,
  type Holder,
  type Protection,
  protections,
} from '../contract/sandbox/index.ts';
import type { Clock } from '../kernel/index.ts';
import type { SandboxDriver } from './driver.ts';
import {
  type DriverLack,
  RefusedByPolicyError,
  SandboxClosedError,
  SandboxUnavailableError,
} from './errors.ts';
import type { ProbeCache } from './probe/probe-cache.ts';

interface ChoiceOptions {
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

/** `standard` lets a supervisor hold what is only about resources; `strict` wants the kernel. */
export type PolicyName = 'standard' | 'strict';

/** The weakest acceptable holder of a protection. There is no `none`: without it nothing is run. */
type LeastHolder = Exclude<Holder, 'none'>;

const standard: Readonly<Record<Protection, LeastHolder>> = {
  'unprivileged-user': 'kernel',
  'user-namespace': 'kernel',
  'nested-namespaces': 'kernel',
  'process-namespace': 'kernel',
  network: 'kernel',
  'host-files': 'kernel',
  'read-only-system': 'kernel',
  'host-identity': 'kernel',
  environment: 'kernel',
  capabilities: 'kernel',
  'new-privileges': 'kernel',
  'system-calls': 'kernel',
  terminal: 'kernel',
  'open-files': 'kernel',
  'dies-with-us': 'supervisor',
  'wall-time': 'supervisor',
  'cpu-time': 'supervisor',
  'cpu-rate': 'supervisor',
  memory: 'supervisor',
  pids: 'supervisor',
  disk: 'supervisor',
  output: 'supervisor',
};

const policies: Readonly<Record<PolicyName, Readonly<Record<Protection, LeastHolder>>>> = {
  standard,
  strict: { ...standard, memory: 'kernel', pids: 'kernel', disk: 'kernel', 'cpu-rate': 'kernel' },
};

type Judgement =
  | { readonly kind: 'allowed' }
  /** It works, and does not hold enough. */
  | { readonly kind: 'refused'; readonly lack: DriverLack }
  /** It does not work here. */
  | { readonly kind: 'unavailable'; readonly lack: DriverLack };

/** Whether a driver with this report may run programs. A protection the report leaves out is not held. */
export function judge(report: DriverReport, policy: PolicyName): Judgement {
  if (report.state === 'unavailable') {
    const fixes = report.fix === undefined ? [] : [report.fix];
    return {
      kind: 'unavailable',
      lack: { driver: report.driver, missing: [report.message], fixes },
    };
  }
  const lacking = protections.flatMap((protection) => {
    const found = report.protections.find((row) => row.protection === protection);
    const least = policies[policy][protection];
    if (found?.holder === 'kernel' || found?.holder === least) return [];
    const evidence = found?.evidence ?? 'it was not tried';
    const holder = found?.holder ?? 'none';
    return [{ missing: describeLack({ protection, least, holder, evidence }), fix: found?.fix }];
  });
  if (lacking.length === 0) return { kind: 'allowed' };
  const fixes = lacking.flatMap(({ fix }) => (fix === undefined ? [] : [fix]));
  const lack = {
    driver: report.driver,
    missing: lacking.map(({ missing }) => missing),
    fixes: [...new Set(fixes)],
  };
  return { kind: 'refused', lack };
}

interface Lacking {
  readonly protection: Protection;
  readonly least: LeastHolder;
  readonly holder: Holder;
  readonly evidence: string;
}

function describeLack({ protection, least, holder, evidence }: Lacking): string {
  const held =
    holder === 'none' ? 'is not held' : `is held by the ${holder} only, and the ${least} must`;
  return `${protection} ${held}: ${evidence}`;
}
