import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { DriverReport, Protection } from '../../contract/sandbox/index.ts';
import type { SandboxDriver } from '../driver.ts';
import { defaultLimits } from '../limits.ts';
import type { CanaryFacts, Declared } from '../probe/run-canaries.ts';
import { driverName, findProgram, readHostFacts } from './host-facts.ts';
import type { Machine } from './launch.ts';
import { obstacleAhead, obstacleOfVersion, type Obstacle } from './obstacle.ts';

const versionTimeMs = 5_000;

export interface ProbeParts {
  readonly driver: Pick<SandboxDriver, 'findToolchain' | 'prepare'>;
  readonly without: ReadonlySet<Protection>;
  readonly examine: () => Promise<Machine>;
}

/** Tries whether bwrap works here at all, then every protection. */
export async function probeBubblewrap(
  parts: ProbeParts,
  signal: AbortSignal | undefined,
): Promise<DriverReport> {
  try {
    const version = await bwrapVersion();
    if (typeof version !== 'string') return unavailable(version);
    const machine = await parts.examine();
    await tryOne(parts.driver, signal);
    const { runCanaries } = await import('../probe/run-canaries.ts');
    return {
      driver: driverName,
      state: 'ready',
      message: `${version}, ${machine.resources.kind}`,
      protections: await runCanaries(parts.driver, canaryFacts(machine, parts.without), signal),
    };
  } catch (error) {
    return unavailable({ message: error instanceof Error ? error.message : String(error) });
  }
}

async function bwrapVersion(): Promise<string | Obstacle> {
  const facts = readHostFacts();
  const bwrap = findProgram('bwrap');
  const ahead = obstacleAhead(facts, {
    bwrap,
    setpriv: findProgram('setpriv'),
    prlimit: findProgram('prlimit'),
  });
  if (ahead || bwrap === undefined) return ahead ?? { message: 'bwrap is missing' };
  const { stdout } = await promisify(execFile)(bwrap, ['--version'], {
    timeout: versionTimeMs,
    env: {},
  });
  return obstacleOfVersion(stdout, facts) ?? stdout.trim();
}

/** A shell is everywhere, so what fails here is the sandbox. */
async function tryOne(
  driver: ProbeParts['driver'],
  signal: AbortSignal | undefined,
): Promise<void> {
  const toolchain = await driver.findToolchain('shell');
  const shape = { toolchain, boot: 'command', mounts: [], limits: defaultLimits } as const;
  const sandbox = await driver.prepare(shape, signal);
  await sandbox.dispose();
}

function canaryFacts(machine: Machine, without: ReadonlySet<Protection>): CanaryFacts {
  const { resources, limitsPidsInside } = machine;
  const fix = resources.fix;
  return {
    holders: {
      memory: resources.holder('memory'),
      pids: limitsPidsInside ? 'kernel' : resources.holder('pids'),
      'cpu-rate': resources.holder('cpu-rate'),
      'cpu-time': resources.holder('cpu-time'),
    },
    declared: { 'dies-with-us': heldByParent, ...declaredLost(without) },
    ...(fix === undefined
      ? {}
      : { fixes: { memory: fix, pids: fix, 'cpu-rate': fix, 'cpu-time': fix } }),
  };
}

const heldByParent: Declared = {
  holder: 'kernel',
  evidence:
    'bwrap and the first process inside asked the kernel to be killed when their parent ends',
};

/** Left out, these cannot be seen from inside. */
const unseenLosses: Readonly<Partial<Record<Protection, string>>> = {
  'dies-with-us':
    'bwrap is started without --die-with-parent; another layer, the guardian, is left',
  'new-privileges':
    'it was to be left out; another layer is left, because bwrap always asks for it',
};

function declaredLost(without: ReadonlySet<Protection>): CanaryFacts['declared'] {
  return Object.fromEntries(
    Object.entries(unseenLosses)
      .filter(([protection]) => [...without].some((left) => left === protection))
      .map(([protection, evidence]) => [protection, { holder: 'none', evidence }]),
  );
}

function unavailable({ message, fix }: Obstacle): DriverReport {
  return {
    driver: driverName,
    state: 'unavailable',
    message,
    ...(fix === undefined ? {} : { fix }),
    protections: [],
  };
}
