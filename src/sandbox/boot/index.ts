export { bootCommand } from './boot-command.ts';
export { bootReadyMark } from './boot-ready-mark.ts';
export { encodeJob } from './encode-job.ts';
export { isReadAtStart, minimalEnv, workFolder } from './minimal-env.ts';
