import type { RunResult } from './run-schema.ts';
import { cutBefore } from './live-output.ts';

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
