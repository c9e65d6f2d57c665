import { existsSync } from 'node:fs';

/** What tells how programs are started on this machine. */
export interface HostFacts {
  readonly hasSystemd: boolean;
  readonly isRoot: boolean;
  readonly isContainer: boolean;
}

/** How to start Tutti so that the kernel counts what programs use. */
export function describeFix(facts: HostFacts = thisHost()): string {
  if (facts.isContainer) {
    return 'start the container with a cgroup of its own that it may write: docker run --security-opt writable-cgroups=true … (Docker 28 or newer), podman run --security-opt unmask=/sys/fs/cgroup …';
  }
  if (facts.hasSystemd) {
    const manager = facts.isRoot ? '' : '--user ';
    return `systemd-run ${manager}--scope -p Delegate=yes tutti …`;
  }
  return facts.isRoot
    ? 'mount -t cgroup2 none /sys/fs/cgroup'
    : 'start Tutti as root (it runs programs as another user), or below a cgroup that is yours: chown it to this user and move the shell that starts Tutti into it';
}

/** How a user's own systemd gets the processor controller. */
export const cpuDelegationFix =
  "mkdir -p /etc/systemd/system/user@.service.d && printf '[Service]\\nDelegate=cpu cpuset io memory pids\\n' > /etc/systemd/system/user@.service.d/delegate.conf && systemctl daemon-reload, then log in again";

function thisHost(): HostFacts {
  return {
    hasSystemd: existsSync('/run/systemd/system'),
    isRoot: process.getuid?.() === 0,
    isContainer: ['/.dockerenv', '/run/.containerenv'].some((path) => existsSync(path)),
  };
}
