export { AppError, reportError } from './app-error.ts';
export { systemClock, type Clock } from './clock.ts';
export { countTokens } from './count-tokens.ts';
export { counted } from './counted.ts';
export { digestJson } from './digest-json.ts';
export { createFaultPoints, noFaults, type FaultPoint } from './fault-point.ts';
export { Gate } from './gate.ts';
export { isRunning } from './is-running.ts';
export { createIsoTime } from './iso-time.ts';
export { lookupTable } from './lookup-table.ts';
export { lazy, lazyObject, type Lazy } from './lazy.ts';
export { LazyAbort, SignalAbort } from './lazy-abort.ts';
export { learnLabels, type Classify, type Guesses } from './learn-labels.ts';
export { parseLenientJson } from './lenient-json.ts';
export { silentLog, type Log, type LogFields } from './log.ts';
export { editDistance, nearest } from './nearest.ts';
export { onceFor } from './once-for.ts';
export { orAborted } from './or-aborted.ts';
export { cutMiddle, outlineJson } from './outline-json.ts';
export { ownFile, ownModule, ownProgram, ownVersion } from './own-files.ts';
export type {
  OwnedProcess,
  ProcessExit,
  ProcessOwner,
  ProcessSpec,
} from './process/owned-process.ts';
export { isGone, ownIdentity, type ProcessIdentity } from './process/process-identity.ts';
export { createProcessOwner, type ProcessOwnerOptions } from './process/process-owner.ts';
export { sweepLeftovers } from './process/sweep-leftovers.ts';
export { RecentValues } from './recent-values.ts';
export { recordOf } from './record-of.ts';
export {
  liesInside,
  readFileStart,
  readRegularFile,
  UnusableFileError,
  type FileLimits,
} from './read-regular-file.ts';
export { Secret } from './secret.ts';
export { secretPatterns, type SecretPattern } from './secret-patterns.ts';
export { SharedTimeout, type Wait } from './shared-timeout.ts';
export { readChoice, readShortReply, type ShortReply } from './short-reply.ts';
export { stopWorker } from './stop-worker.ts';
export { TimeLimitError, withTimeLimit } from './time-limit.ts';
export { systemTimers, type Timers } from './timers.ts';
export { userFolder } from './user-folder.ts';
export { formsOf, plainForm, stemOf } from './word-forms.ts';
