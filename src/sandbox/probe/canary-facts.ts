import type { Holder, Protection, ProtectionReport } from '../../contract/sandbox/index.ts';

/** What a driver tells about itself, and no canary can find out from inside. */
export interface CanaryFacts {
  /**
   * Who holds a protection when its canary finds it held: `kernel` for memory in a cgroup,
   * `supervisor` under a watchdog. A canary that gets through makes it `none` all the same.
   */
  readonly holders?: Readonly<Partial<Record<Protection, Holder>>>;
  /**
   * Protections that no canary can try with this driver, or that it gives by other means than the one
   * a canary looks for. Taken as said, so `evidence` must tell why that is true. `dies-with-us` is
   * always among them: without it, it counts as not held.
   */
  readonly declared?: Readonly<Partial<Record<Protection, Declared>>>;
  /**
   * Protections the driver was told to leave out. They count as not held even where a canary does not
   * get through, because another layer stops it too.
   */
  readonly leftOut?: readonly Protection[];
  /** What to do to have a protection held, or held by the kernel: an exact command where there is one. */
  readonly fixes?: Readonly<Partial<Record<Protection, string>>>;
  /** How long one canary may take, start of the sandbox included. */
  readonly maxCanaryMs?: number;
}

export type Declared = Omit<ProtectionReport, 'protection'>;

/** Who holds a protection that its canary finds held, unless the driver says otherwise. */
export function holderOf(protection: Protection, facts: CanaryFacts): Holder {
  return (
    facts.holders?.[protection] ?? (heldBySupervisor.has(protection) ? 'supervisor' : 'kernel')
  );
}

const heldBySupervisor: ReadonlySet<Protection> = new Set<Protection>([
  'wall-time',
  'cpu-time',
  'cpu-rate',
  'memory',
  'pids',
  'output',
  'dies-with-us',
]);
