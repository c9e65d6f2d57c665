import type { Protection } from '../../contract/sandbox/index.ts';
import type { CanaryFacts, Declared } from '../probe/canary-facts.ts';
import type { DockerEngine } from './docker-engine.ts';

/** A container takes some hundred milliseconds to start, and all canaries start theirs together. */
const maxCanaryMs = 60_000;

/** What a container's canaries cannot find out by themselves. */
export function dockerFacts(engine: DockerEngine, without: ReadonlySet<Protection>): CanaryFacts {
  const kernelConfig =
    'Use a kernel and an engine that have this controller: docker info names it in its warnings';
  return {
    maxCanaryMs,
    holders: {
      memory: engine.limits.memory ? 'kernel' : 'supervisor',
      pids: engine.limits.pids ? 'kernel' : 'supervisor',
      'cpu-rate': engine.limits.cpus ? 'kernel' : 'supervisor',
    },
    fixes: {
      memory: kernelConfig,
      pids: kernelConfig,
      'cpu-rate': kernelConfig,
      'user-namespace': userNamespaceFix,
    },
    declared: {
      'dies-with-us': without.has('dies-with-us')
        ? { holder: 'none', evidence: 'the container runs on when its supervisor is gone' }
        : {
            holder: 'supervisor',
            evidence:
              'the container ends with an input that this process alone holds open: the engine closes it when we die',
          },
      ...(engine.hasUserNamespaces ? {} : { 'user-namespace': withoutUserNamespace(without) }),
    },
  };
}

const userNamespaceFix = 'Start the engine with user namespaces: dockerd --userns-remap=default';

/**
 * A user namespace keeps root inside from being root outside. An engine without one does the same by
 * what it takes away, if it really takes all of it away.
 */
function withoutUserNamespace(without: ReadonlySet<Protection>): Declared {
  const needed: readonly Protection[] = [
    'user-namespace',
    'unprivileged-user',
    'capabilities',
    'new-privileges',
  ];
  const lacking = needed.filter((protection) => without.has(protection));
  if (lacking.length > 0) {
    const evidence = `the engine maps no users, and ${lacking.join(', ')} is left out`;
    return { holder: 'none', evidence, fix: userNamespaceFix };
  }
  return {
    holder: 'kernel',
    evidence:
      'the engine maps no users; instead nobody inside is root, has a capability or can get one (bounding set empty, no_new_privs)',
  };
}
