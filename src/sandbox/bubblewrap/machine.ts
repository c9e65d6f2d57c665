import { SandboxNotStartedError } from '../errors.ts';
import { chooseResourceControl } from '../resources/choose-resource-control.ts';
import type { ResourceControl } from '../resources/resource-control.ts';
import { seccompFilter } from '../seccomp/seccomp-filter.ts';
import { uncountedMemorySyscalls } from '../seccomp/syscalls.ts';
import { driverName } from './driver-name.ts';
import { findProgram } from './find-program.ts';
import { countsProcessesInside, readHostFacts, type HostFacts } from './host-facts.ts';
import { readHostLayout, type HostLayout } from './host-layout.ts';
import { obstacleAhead } from './obstacle.ts';
import { isBeyondSimpleShells, strayDescriptors } from './stray-descriptors.ts';

/** What is the same for all sandboxes that this process starts. */
export interface Machine {
  readonly facts: HostFacts;
  /** What runs a script that follows it. */
  readonly shell: readonly [string, ...string[]];
  readonly bwrap: string;
  /** Set when we are root, who has to become somebody else. */
  readonly setpriv: string | undefined;
  readonly prlimit: string;
  readonly strays: readonly number[];
  readonly layout: HostLayout;
  readonly filter: Uint8Array;
  readonly resources: ResourceControl;
  /** Whether a program's processes are counted by a limit set inside, because no group does. */
  readonly limitsPidsInside: boolean;
}

/** Throws `sandbox.not_started` when something is missing without which nothing can be started. */
export async function examineMachine(chosen?: Promise<ResourceControl>): Promise<Machine> {
  const facts = readHostFacts();
  const bwrap = findProgram('bwrap');
  const setpriv = facts.isRoot ? findProgram('setpriv') : undefined;
  const prlimit = findProgram('prlimit');
  const obstacle = obstacleAhead(facts, { bwrap, setpriv, prlimit });
  if (obstacle || bwrap === undefined || prlimit === undefined) {
    throw new SandboxNotStartedError(driverName, obstacle?.message ?? 'bwrap is missing');
  }
  const strays = strayDescriptors();
  const resources = await (chosen ?? chooseResourceControl());
  return {
    facts,
    shell: shellFor(strays),
    bwrap,
    setpriv,
    prlimit,
    strays,
    layout: readHostLayout(),
    filter: seccompFilter(
      process.arch === 'arm64' ? 'arm64' : 'x64',
      resources.holder('memory') === 'kernel' ? {} : uncountedMemorySyscalls,
    ),
    resources,
    limitsPidsInside: resources.holder('pids') !== 'kernel' && countsProcessesInside(facts.kernel),
  };
}

function shellFor(strays: readonly number[]): Machine['shell'] {
  if (!strays.some(isBeyondSimpleShells)) return ['/bin/sh', '-c'];
  const bash = findProgram('bash');
  // Bash takes a pipe that is a socket for a remote login and would read the user's files.
  if (bash !== undefined) return [bash, '--norc', '--noprofile', '--posix', '-c'];
  throw new SandboxNotStartedError(
    driverName,
    `what started Tutti left the file descriptors ${strays.join(', ')} open, which only bash can close; install bash, or start Tutti without them`,
  );
}
