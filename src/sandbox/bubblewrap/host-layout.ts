import { existsSync, lstatSync, readlinkSync, realpathSync } from 'node:fs';

/** How the system folders of this machine have to be shown inside, as options of bwrap. */
export interface HostLayout {
  /** `/bin`, `/lib` …: links into `/usr` here and on most machines, folders on others. */
  readonly rootEntries: readonly string[];
  /** Files of `/etc` without which programs do not find their parts. */
  readonly etcEntries: readonly string[];
  /** What tells of this machine in `/proc` and can be covered. */
  readonly procMasks: readonly string[];
  /** What is never shown, except to prove that showing it is noticed. */
  readonly privateFolders: readonly string[];
}

const privateNames = ['/home', '/root', '/tmp'];

const rootNames = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];

/** What the loader, Debian's alternatives and clocks need. */
const etcNames = ['/etc/ld.so.cache', '/etc/alternatives', '/etc/localtime'];

/**
 * How the machine was started, whose keys are loaded, which boot this is. The rest tells of the kernel,
 * which a program can find out in other ways, and each costs a fifth of a millisecond per start.
 */
const revealingFiles = ['/proc/cmdline', '/proc/keys', '/proc/sys/kernel/random/boot_id'];

export function readHostLayout(): HostLayout {
  return {
    rootEntries: rootNames.flatMap(showRootEntry),
    etcEntries: etcNames.flatMap(showEtcEntry),
    procMasks: revealingFiles
      .filter((path) => existsSync(path))
      .flatMap((path) => ['--ro-bind', '/dev/null', path]),
    privateFolders: privateNames.flatMap((path) => ['--ro-bind-try', path, path]),
  };
}

/** A link into the system folders stays a link, which is cheaper than a mount. */
function showEtcEntry(path: string): string[] {
  const target = realPathOf(path);
  if (target === undefined) return [];
  if (target !== path && target.startsWith('/usr/')) return ['--symlink', target, path];
  return ['--ro-bind', path, path];
}

function realPathOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

function showRootEntry(path: string): string[] {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat?.isSymbolicLink()) return ['--symlink', readlinkSync(path), path];
  return stat?.isDirectory() ? ['--ro-bind', path, path] : [];
}
