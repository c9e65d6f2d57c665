import type { Protection, SandboxLimits } from '../../contract/sandbox/index.ts';

/** So much that no test reaches it. */
const unlimited = {
  wallMs: 1e9,
  cpuMs: 1e9,
  cpus: 1_000,
  memoryBytes: 2 ** 43,
  pids: 100_000,
  outputBytes: 2 ** 26,
};

/** The limits of a run from which single ones are left out, for the tests that prove that it is noticed. */
export function withoutLimits(
  limits: SandboxLimits,
  without: ReadonlySet<Protection>,
): SandboxLimits {
  if (without.size === 0) return limits;
  return {
    ...limits,
    ...(without.has('wall-time') ? { wallMs: unlimited.wallMs } : {}),
    ...(without.has('cpu-time') ? { cpuMs: unlimited.cpuMs } : {}),
    ...(without.has('cpu-rate') ? { cpus: unlimited.cpus } : {}),
    ...(without.has('memory') ? { memoryBytes: unlimited.memoryBytes } : {}),
    ...(without.has('pids') ? { pids: unlimited.pids } : {}),
    ...(without.has('output') ? { outputBytes: unlimited.outputBytes } : {}),
  };
}
