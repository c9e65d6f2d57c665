import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
} from 'node:fs';
import { release } from 'node:os';
import { join } from 'node:path';

export const driverName = 'bubblewrap';

const systemFolders = ['/usr/local/bin', '/usr/bin', '/bin', '/usr/sbin', '/sbin'];

/** A program of this system; folders that users fill are not looked into. */
export function findProgram(name: string): string | undefined {
  return systemFolders.map((folder) => join(folder, name)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** What decides on this machine whether bwrap can work. Null where the kernel has no such setting. */
export interface HostFacts {
  readonly platform: NodeJS.Platform;
  readonly isRoot: boolean;
  readonly kernel: string;
  readonly maxUserNamespaces: string | null;
  readonly unprivilegedUserNamespaces: string | null;
  readonly appArmorRestriction: string | null;
  /** The command that installs packages here. */
  readonly installer: string | null;
}

/** First found, first named; each belongs to one family of distributions. */
const installers = {
  '/usr/bin/apt-get': 'apt-get install -y',
  '/usr/bin/dnf': 'dnf install -y',
  '/usr/bin/pacman': 'pacman -S --noconfirm',
  '/sbin/apk': 'apk add',
  '/usr/bin/zypper': 'zypper install -y',
};

export function readHostFacts(): HostFacts {
  return {
    platform: process.platform,
    isRoot: process.getuid?.() === 0,
    kernel: release(),
    maxUserNamespaces: readSetting('/proc/sys/user/max_user_namespaces'),
    unprivilegedUserNamespaces: readSetting('/proc/sys/kernel/unprivileged_userns_clone'),
    appArmorRestriction: readSetting('/proc/sys/kernel/apparmor_restrict_unprivileged_userns'),
    installer: Object.entries(installers).find(([program]) => existsSync(program))?.[1] ?? null,
  };
}

/** Whether the kernel hands cores to a program; asked at every start, because services that are installed change it. */
export function isCorePiped(): boolean {
  return readSetting('/proc/sys/kernel/core_pattern')?.startsWith('|') === true;
}

/** Since this version the kernel counts the processes of a user in each user namespace by itself. */
const leastKernelForCountingInside = [5, 14] as const;

/** Whether a limit on processes that is set inside counts those inside only. */
export function countsProcessesInside(kernel: string): boolean {
  const [major = 0, minor = 0] = kernel.split('.').map((part) => Number.parseInt(part, 10));
  const [leastMajor, leastMinor] = leastKernelForCountingInside;
  return major > leastMajor || (major === leastMajor && minor >= leastMinor);
}

function readSetting(path: string): string | null {
  try {
    return readFileSync(path, 'latin1').trim();
  } catch {
    return null;
  }
}

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

const closeOnExec = 0o2000000;
const firstStray = 3;
/** A shell such as dash closes only these by itself. */
const lastSimple = 9;

/**
 * File descriptors that our parent process left open and that every program we start inherits. Node marks
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
