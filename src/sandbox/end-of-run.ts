import { constants } from 'node:os';
import type { KillReason, SandboxResult } from '../contract/sandbox/index.ts';
import type { ProcessExit } from '../kernel/index.ts';

/** bwrap ends with this and the number of the signal that ended the program. */
const signalBase = 128;

/** Of two names of one signal the first counts: SIGABRT, not SIGIOT. */
const signalNames = new Map<number, string>(
  Object.entries(constants.signals)
    .map(([name, number]): [number, string] => [number, name])
    .toReversed(),
);

export type EndOfRun = Pick<SandboxResult, 'status' | 'exitCode' | 'signal' | 'reason'>;

/**
 * How a program ended. `killedFor` is why we killed it, `reached` the limit that was seen afterwards: a
 * program that ended well in spite of it exited, and the limit is named all the same. The first process
 * of a bomb often ends well.
 */
export function endOfRun(
  exit: ProcessExit,
  killedFor: KillReason | null,
  reached: KillReason | null,
): EndOfRun {
  const reason = killedFor ?? (exit.exitCode === 0 ? null : reached);
  if (reason !== null) return { status: 'killed', exitCode: null, signal: null, reason };
  const signal = exit.signal ?? signalNames.get((exit.exitCode ?? 0) - signalBase) ?? null;
  if (signal !== null) return { status: 'signalled', exitCode: null, signal, reason: null };
  return { status: 'exited', exitCode: exit.exitCode, signal: null, reason: reached };
}
