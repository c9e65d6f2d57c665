import { existsSync, readFileSync } from 'node:fs';
import { release } from 'node:os';

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
