export { LazyAbort, orAborted, SignalAbort, TimeLimitError, withTimeLimit } from './abort.ts';
export { AppError, reportError } from './app-error.ts';
export { systemClock, systemTimers, type Clock, type Timers } from './clock.ts';
export { createFaultPoints, noFaults, type FaultPoint } from './fault-point.ts';
export { Semaphore } from './semaphore.ts';
export { isRunning } from './is-running.ts';
export {
  cutMiddle,
  type DeepReadonly,
  digestJson,
  lookupTable,
  outlineJson,
  outlineLines,
  parseLenientJson,
  recordOf,
} from './json.ts';
export { lazy, lazyObject, type Lazy } from './lazy.ts';
export { learnLabels, type Classify, type Guesses } from './learn-labels.ts';
export { silentLog, type Log, type LogFields } from './log.ts';
export { ownFile, ownModule, ownProgram, ownVersion, userFolder } from './own-files.ts';
export type {
  OwnedProcess,
  ProcessExit,
  ProcessOwner,
  ProcessSpec,
} from './process/owned-process.ts';
export { isGone, ownIdentity, type ProcessIdentity } from './process/process-identity.ts';
export { createProcessOwner, type ProcessOwnerOptions } from './process/process-owner.ts';
export { sweepLeftovers } from './process/sweep-leftovers.ts';
export { onceFor, RecentValues } from './recent-values.ts';
export {
  liesInside,
  readFileStart,
  readRegularFile,
  UnusableFileError,
  type FileLimits,
} from './read-regular-file.ts';
export { Sealer } from './sealer.ts';
export { Secret, secretPatterns, type SecretPattern } from './secret.ts';
export { shellWord } from './shell-word.ts';
export { blankUnseen, escapeLine, escapeUnseen, unseenCharacter } from './unseen-characters.ts';
export { SharedTimeout, type Wait } from './shared-timeout.ts';
export { readChoice, readShortReply, type ShortReply } from './short-reply.ts';
export { sayDay } from './say-day.ts';
export { stopWorker } from './stop-worker.ts';
export {
  pluralize,
  countTokens,
  editDistance,
  formsOf,
  nearest,
  plainForm,
  stemOf,
} from './words.ts';
