import type { HostFacts } from './host-facts.ts';

/** Why bwrap cannot work here, and what to do about it. */
export interface Obstacle {
  /** A sentence without its full stop. */
  readonly message: string;
  readonly fix?: string | undefined;
}

/** Programs that a sandbox is made with; undefined where they are missing. */
export interface Programs {
  readonly bwrap: string | undefined;
  readonly setpriv: string | undefined;
  readonly prlimit: string | undefined;
}

/** What can be said without trying. */
export function obstacleAhead(facts: HostFacts, programs: Programs): Obstacle | undefined {
  if (facts.platform !== 'linux') {
    return { message: 'bubblewrap is there for Linux only' };
  }
  if (programs.bwrap === undefined) {
    return { message: 'bubblewrap is not installed', fix: install('bubblewrap', facts) };
  }
  if (facts.isRoot && programs.setpriv === undefined) {
    return {
      message: 'setpriv is missing, without which a sandbox would be started by root',
      fix: install('util-linux', facts),
    };
  }
  if (programs.prlimit === undefined) {
    return {
      message: 'prlimit is missing, without which a program could use up what its user has outside',
      fix: install('util-linux', facts),
    };
  }
  return undefined;
}

/** The oldest bwrap that knows all options: it keeps the program from making user namespaces of its own. */
const leastVersion = [0, 8] as const;

/** `bubblewrap 0.8.0`, as it says of itself. */
export function obstacleOfVersion(answer: string, facts: HostFacts): Obstacle | undefined {
  const [major = 0, minor = 0] = (/\d+\.\d+/.exec(answer)?.[0] ?? '').split('.').map(Number);
  const [leastMajor, leastMinor] = leastVersion;
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return undefined;
  const least = leastVersion.join('.');
  return {
    message: `${answer.trim() || 'this bubblewrap'} is too old: ${least} or later is needed`,
    fix: `${install('bubblewrap', facts)} # ${least} is in Debian 12, Ubuntu 23.10 and Fedora 38`,
  };
}

/** What bwrap's own words mean on this machine. */
export function obstacleOfComplaint(complaint: string, facts: HostFacts): Obstacle {
  const known = knownComplaints.find(({ pattern }) => pattern.test(complaint));
  return known?.explain(facts, complaint) ?? { message: firstLines(complaint) };
}

const knownComplaints: readonly {
  readonly pattern: RegExp;
  readonly explain: (facts: HostFacts, complaint: string) => Obstacle;
}[] = [
  {
    pattern: /namespace|uid map|gid map|loopback|RTM_NEWADDR/i,
    explain: (facts, complaint) => userNamespaceObstacle(facts, complaint),
  },
  {
    pattern: /mount proc/i,
    explain: () => ({
      message:
        'the kernel does not let bwrap mount /proc, as in a container whose own /proc is partly covered',
      fix: 'start the container with --security-opt systempaths=unconfined --security-opt seccomp=unconfined, or use the docker driver',
    }),
  },
];

function userNamespaceObstacle(facts: HostFacts, complaint: string): Obstacle {
  if (facts.appArmorRestriction === '1') {
    return {
      message: 'AppArmor keeps bwrap from making a user namespace (Ubuntu 23.10 and later)',
      fix: appArmorFix,
    };
  }
  if (facts.unprivilegedUserNamespaces === '0') {
    return {
      message: 'users may not make user namespaces here (kernel.unprivileged_userns_clone is 0)',
      fix: 'sudo sysctl -w kernel.unprivileged_userns_clone=1',
    };
  }
  if (facts.maxUserNamespaces === '0') {
    return {
      message: 'user namespaces are switched off (user.max_user_namespaces is 0)',
      fix: 'sudo sysctl -w user.max_user_namespaces=15000',
    };
  }
  return {
    message: `bwrap could not make its namespaces: ${firstLines(complaint)}`,
    fix: 'in a container, start it with --security-opt seccomp=unconfined, or use the docker driver',
  };
}

/** Lets bwrap alone make user namespaces; programs inside it still cannot. */
const appArmorFix = `printf '%s\\n' 'abi <abi/4.0>,' 'include <tunables/global>' 'profile bwrap /usr/bin/bwrap flags=(unconfined) {' '  userns,' '}' | sudo tee /etc/apparmor.d/bwrap && sudo apparmor_parser -r /etc/apparmor.d/bwrap`;

function install(packageName: string, { isRoot, installer }: HostFacts): string {
  if (installer === null) return `install the package "${packageName}"`;
  return `${isRoot ? '' : 'sudo '}${installer} ${packageName}`;
}

const maxComplaintCharacters = 500;

function firstLines(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, ' ');
  return line === '' ? 'it ended without a word' : line.slice(0, maxComplaintCharacters);
}
