import { z } from 'zod';
import { type Protection, protections } from '../../contract/sandbox/index.ts';
import { lookupTable } from '../../kernel/index.ts';
import type { HostCanary } from './host-canary.ts';

/** What a canary says of one protection. */
export interface Verdict {
  readonly protection: Protection;
  readonly isHeld: boolean;
  /** What was tried and seen, one line. */
  readonly evidence: string;
}

type Judge = (found: IsolationFindings, host: HostCanary) => Omit<Verdict, 'protection'>;

/** What the findings mean for each protection. Whatever could not be seen is not held. */
export function judgeIsolation(found: IsolationFindings, host: HostCanary): Verdict[] {
  return protections.flatMap((protection) => {
    const judgement = judges[protection]?.(found, host);
    return judgement ? [{ protection, ...judgement }] : [];
  });
}

/** The kernel gives the first namespaces of a machine these names. */
const firstNamespaces: Readonly<Record<string, string>> = lookupTable({
  user: 'user:[4026531837]',
  pid: 'pid:[4026531836]',
  uts: 'uts:[4026531838]',
});
const wholeUserRange = '0 0 4294967295';
const noCapabilities = /^0+$/;

const judges: Readonly<Partial<Record<Protection, Judge>>> = {
  'unprivileged-user': (found) => {
    const isRoot = found.uid === 0 || found.gid === 0 || found.groups.includes(0);
    // Started by root, its files would look like the program's own: an outside root in disguise.
    const ownsSystem = found.systemOwner === found.uid;
    return {
      isHeld: !isRoot && !ownsSystem && found.becomeRoot !== 'root',
      evidence: `runs as ${found.uid}:${found.gid}, /usr belongs to ${found.systemOwner}, setuid(0): ${found.becomeRoot}`,
    };
  },
  'user-namespace': (found, host) => ({
    isHeld: isSeparate('user', found, host) && found.uidMap !== wholeUserRange,
    evidence: `${found.namespaces['user']}, ours is ${host.namespaces['user']}; users mapped "${found.uidMap}"`,
  }),
  'nested-namespaces': (found) => ({
    isHeld: found.nestedNamespace === 'refused',
    evidence: `a new user namespace was ${found.nestedNamespace}`,
  }),
  'process-namespace': (found, host) => {
    const seesUs =
      found.hostPidStartedAt !== null && found.hostPidStartedAt === host.asked.hostPidStartedAt;
    return {
      isHeld: isSeparate('pid', found, host) && !seesUs,
      evidence: `sees ${found.processes} processes${seesUs ? ', ours among them' : ', not ours'}; ${found.namespaces['pid']}, ours is ${host.namespaces['pid']}`,
    };
  },
  network: (found, host) => ({
    isHeld:
      host.connections() === 0 &&
      found.tcp !== 'connected' &&
      found.unix !== 'connected' &&
      found.interfaces.length === 0,
    evidence: `our loopback: ${found.tcp}; our abstract socket: ${found.unix}; interfaces besides loopback: ${found.interfaces.join(', ') || 'none'}`,
  }),
  'host-files': (found, host) => ({
    isHeld: found.files.length === 0,
    evidence:
      found.files.length === 0
        ? `none of ${host.asked.files.map(({ path }) => path).join(', ')} is seen`
        : `sees ${found.files.join(', ')} of the host`,
  }),
  'read-only-system': (found) => {
    const system = ['/', '/usr', '/etc'].map((path) => found.writes[path] ?? 'untried');
    const isSystemReadOnly = system.every((outcome) =>
      // File modes alone would say EACCES: then one wrong mode is a hole.
      found.platform === 'linux' ? outcome === 'error EROFS' : outcome.startsWith('error '),
    );
    const isNothingWritten = Object.values(found.writes).every((outcome) => outcome !== 'written');
    const outcomes = Object.entries(found.writes).map(([path, outcome]) => `${path} ${outcome}`);
    return {
      isHeld: isSystemReadOnly && isNothingWritten,
      evidence: `written to: ${outcomes.join(', ')}`,
    };
  },
  'host-identity': (found, host) => {
    const isNameOurs = found.hostname === host.hostname && !isSeparate('uts', found, host);
    const isMachineOurs = host.machineId !== null && found.machineId === host.machineId;
    return {
      isHeld: !isNameOurs && !isMachineOurs,
      evidence: `host name "${found.hostname}"${isNameOurs ? ' is ours' : ''}, machine id ${isMachineOurs ? 'is ours' : 'not ours'}`,
    };
  },
  environment: (found, { planted }) => {
    const isInherited = found.variables[planted.name] !== undefined;
    const isReadable = found.environments.some((text) => text.includes(planted.value));
    const names = Object.keys(found.variables).sort().join(' ');
    return {
      isHeld: !isInherited && !isReadable,
      evidence: isInherited
        ? 'a variable of our own environment was inherited'
        : isReadable
          ? 'a variable of our own environment can be read in /proc'
          : `has only ${names}`,
    };
  },
  capabilities: ({ status }) => {
    const sets = ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'];
    return {
      isHeld: sets.every((name) => noCapabilities.test(status[name] ?? '')),
      evidence: sets.map((name) => `${name} ${status[name] ?? 'unknown'}`).join(', '),
    };
  },
  'new-privileges': ({ status }) => ({
    isHeld: status['NoNewPrivs'] === '1',
    evidence: `NoNewPrivs ${status['NoNewPrivs'] ?? 'unknown'}`,
  }),
  'system-calls': ({ status, systemCalls }) => ({
    isHeld: status['Seccomp'] === '2' && !systemCalls.includes('answered'),
    evidence: `Seccomp mode ${status['Seccomp'] ?? 'unknown'}, calls ${systemCalls}`,
  }),
  terminal: (found) => ({
    // Session 0 is one whose leader is outside: it shares our terminal if there is one.
    isHeld: found.terminal !== 'opened' && found.session !== null && found.session !== '0',
    evidence: `session ${found.session ?? 'unknown'}, /dev/tty: ${found.terminal}`,
  }),
};

function isSeparate(kind: string, found: IsolationFindings, host: HostCanary): boolean {
  const inside = found.namespaces[kind];
  if (inside === undefined || inside.startsWith('error ')) return false;
  return inside !== host.namespaces[kind] && inside !== firstNamespaces[kind];
}

/** The protections the isolation canary tries. */
export const isolationProtections: readonly Protection[] = protections.filter(
  (protection) => judges[protection] !== undefined,
);

const textByName = z.record(z.string(), z.string());

/** What the isolation canary answers. It comes from inside, so nothing of it is taken on trust. */
export const isolationFindings = z.object({
  platform: z.string(),
  uid: z.number(),
  gid: z.number(),
  groups: z.array(z.number()),
  systemOwner: z.union([z.number(), z.string()]),
  becomeRoot: z.string(),
  status: textByName,
  uidMap: z.string(),
  namespaces: textByName,
  processes: z.number(),
  hostPidStartedAt: z.string().nullable(),
  session: z.string().nullable(),
  terminal: z.string(),
  hostname: z.string(),
  machineId: z.string(),
  variables: textByName,
  environments: z.array(z.string()),
  files: z.array(z.string()),
  writes: textByName,
  interfaces: z.array(z.string()),
  tcp: z.string(),
  unix: z.string(),
  nestedNamespace: z.string(),
  systemCalls: z.string(),
});

export type IsolationFindings = z.infer<typeof isolationFindings>;
