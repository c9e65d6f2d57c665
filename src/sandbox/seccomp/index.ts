export { uncountedMemorySyscalls } from './refused-syscalls.ts';
export { dockerSeccompProfile } from './docker-seccomp-profile.ts';
export { seccompFilter } from './seccomp-filter.ts';
export type { Architecture } from './syscall.ts';
