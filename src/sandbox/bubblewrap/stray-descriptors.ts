import { readdirSync, readFileSync } from 'node:fs';

const closeOnExec = 0o2000000;
const firstStray = 3;
/** A shell such as dash closes only these by itself. */
const lastSimple = 9;

/**
 * File descriptors that who started us left open and that every program we start inherits. Node marks
 * its own to be closed, but knows nothing of these.
 */
export function strayDescriptors(): number[] {
  return readdirSync('/proc/self/fd')
    .map(Number)
    .filter((fd) => fd >= firstStray && isInherited(fd));
}

/** Those for which another shell than `sh` may be needed. */
export function isBeyondSimpleShells(fd: number): boolean {
  return fd > lastSimple;
}

function isInherited(fd: number): boolean {
  try {
    const flags = /^flags:\s+(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1'))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & closeOnExec) === 0;
  } catch {
    // Closed since: it was that of the listing itself.
    return false;
  }
}
