import type { RunResult } from './run-schema.ts';
import { cutBefore } from './live-output.ts';
import type { PoolReport, SandboxResult, SandboxRun } from '../../contract/sandbox/index.ts';
import type { CallFacts } from '../../contract/server/index.ts';

const maxShown = 32 * 1024;
const maxFindings = 10;

/** What a person or a model reads of a run: how it ended, then what it wrote. */
export function summarizeRun(result: RunResult): string {
  const { usage, findings } = result;
  const used = `${Math.round(usage.wallMs)} ms, ${Math.round(usage.cpuMs)} ms of CPU, ${megabytes(usage.peakMemoryBytes)} at most`;
  return [
    `${endingOf(result)} (${used}; ${result.driver}${result.warm ? ', warm' : ''})`,
    ...findings
      .slice(0, maxFindings)
      .map((it) => `${it.severity} ${it.file}:${it.line} ${it.rule}: ${it.message}`),
    ...(findings.length > maxFindings ? [`… and ${findings.length - maxFindings} more`] : []),
    ...result.observations.map(({ message }) => message),
    ...(result.files ?? []).map(({ path, size }) => `left ${path} (${size} bytes)`),
    ...shownStream('stdout', result.stdout),
    ...shownStream('stderr', result.stderr),
    ...(result.truncated ? ['(the output was cut at its limit)'] : []),
  ].join('\n');
}

function endingOf({ status, exitCode, signal, reason }: RunResult): string {
  switch (status) {
    case 'exited':
      return `exited with ${exitCode}${reason === null ? '' : `, limit reached: ${reason}`}`;
    case 'signalled':
      return `died of ${signal}`;
    case 'killed':
      return `killed: ${reason}`;
  }
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

function shownStream(name: string, text: string): string[] {
  if (text === '') return [];
  const end = cutBefore(text, maxShown);
  const more = text.length - end;
  const shown = text.slice(0, end).trimEnd();
  return [`${name}:`, shown, ...(more > 0 ? [`… ${more} more characters`] : [])];
}

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
