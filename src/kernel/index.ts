export { AppError, reportError } from './app-error.ts';
export { systemClock, type Clock } from './clock.ts';
export { Gate } from './gate.ts';
export { silentLog, type Log, type LogFields } from './log.ts';
export { nearest } from './nearest.ts';
export { ownFile, ownModule, ownVersion } from './own-files.ts';
export { Secret } from './secret.ts';
export { withTimeLimit } from './time-limit.ts';
