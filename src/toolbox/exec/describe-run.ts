import type { PoolReport, SandboxResult, SandboxRun } from '../../contract/sandbox/index.ts';
import type { CallFacts } from '../../contract/server/index.ts';

const maxListed = 50;

/** What is going to run and with which limits, for the trace. Contents stay out of it. */
export function describePlan(
  run: Pick<SandboxRun, 'toolchain' | 'program' | 'limits' | 'files' | 'env'>,
): CallFacts {
  const { program, limits } = run;
  return {
    'tutti.sandbox.toolchain': run.toolchain,
    'tutti.sandbox.program': program.kind,
    'tutti.sandbox.command':
      program.kind === 'command' ? (program.argv[0] ?? '') : `${program.kind} ${program.main}`,
    'tutti.sandbox.files': Object.keys(run.files).length,
    'tutti.sandbox.env': Object.keys(run.env).slice(0, maxListed),
    ...prefixed('tutti.sandbox.limit.', { ...limits }),
  };
}

/** How it ended, what it used, what the sandbox saw, and how the pool has done so far. */
export function describeOutcome(result: SandboxResult, pool: PoolReport): CallFacts {
  const { status, exitCode, signal, reason, usage } = result;
  const seen = (kind: string): string[] =>
    result.observations
      .filter((observation) => observation.kind === kind)
      .slice(0, maxListed)
      .map(({ message }) => message);
  return {
    'tutti.sandbox.driver': result.driver,
    'tutti.sandbox.warm': result.wasWarm,
    'tutti.sandbox.status': status,
    ...(exitCode !== null && { 'tutti.sandbox.exit_code': exitCode }),
    ...(signal !== null && { 'tutti.sandbox.signal': signal }),
    ...(reason !== null && { 'tutti.sandbox.reason': reason }),
    'tutti.sandbox.output_bytes': result.stdout.length + result.stderr.length,
    'tutti.sandbox.files_written': seen('files_written'),
    'tutti.sandbox.files_collected': result.files.length,
    'tutti.sandbox.blocked': seen('blocked_syscall'),
    'tutti.sandbox.limits_reached': seen('limit_reached'),
    ...prefixed('tutti.sandbox.usage.', { ...usage }),
    ...prefixed('tutti.sandbox.pool.', {
      idle: Object.values(pool.idle).reduce((sum, count) => sum + count, 0),
      hits: pool.hits,
      misses: pool.misses,
      waits: pool.waits,
    }),
  };
}

function prefixed(prefix: string, values: Readonly<Record<string, number>>): CallFacts {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [prefix + name, value]));
}
