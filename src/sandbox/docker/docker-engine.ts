import { statSync } from 'node:fs';
import { z } from 'zod';
import type { Protection } from '../../contract/sandbox/index.ts';
import { lookupTable } from '../../kernel/index.ts';
import { SandboxUnavailableError, ToolchainMissingError } from '../errors.ts';
import type { CanaryFacts, Declared } from '../probe/run-canaries.ts';
import type { Architecture } from '../seccomp/syscalls.ts';
import { type DockerApi, DockerRequestError } from './docker-api.ts';

const infoSchema = z.looseObject({
  ServerVersion: z.string().default('unknown'),
  OSType: z.string().default('linux'),
  Architecture: z.string().default(''),
  MemoryLimit: z.boolean().default(false),
  PidsLimit: z.boolean().default(false),
  CpuCfsQuota: z.boolean().default(false),
  // Older engines say it by another name.
  CPUCfsQuota: z.boolean().default(false),
  SecurityOptions: z.array(z.string()).nullish(),
});

/** What an engine says of itself, as far as it matters to a sandbox. */
export interface DockerEngine {
  readonly version: string;
  /** Null when we have no filter of system calls for it. */
  readonly architecture: Architecture | null;
  /** What its kernel can limit. */
  readonly limits: { readonly memory: boolean; readonly pids: boolean; readonly cpus: boolean };
  /** Users inside are others outside. */
  readonly hasUserNamespaces: boolean;
}

const architectures: Readonly<Record<string, Architecture>> = lookupTable({
  x86_64: 'x64',
  amd64: 'x64',
  aarch64: 'arm64',
  arm64: 'arm64',
});

export async function examineEngine(api: DockerApi, signal?: AbortSignal): Promise<DockerEngine> {
  const info = infoSchema.parse(await api.call({ method: 'GET', path: '/info', signal }));
  const security = info.SecurityOptions ?? [];
  return {
    version: info.ServerVersion,
    architecture:
      info.OSType === 'linux' ? (architectures[info.Architecture.toLowerCase()] ?? null) : null,
    limits: {
      memory: info.MemoryLimit,
      pids: info.PidsLimit,
      cpus: info.CpuCfsQuota || info.CPUCfsQuota,
    },
    hasUserNamespaces: security.some((option) => /^name=(?:userns|rootless)\b/.test(option)),
  };
}

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
      'the engine maps no users; instead no process inside is root, has a capability or can get one (bounding set empty, no_new_privs)',
  };
}

/** Where the engine listens, or why there is nowhere to ask. */
type DockerSocket =
  | { readonly kind: 'found'; readonly path: string }
  | { readonly kind: 'missing'; readonly reason: string; readonly fix: string };

/**
 * The socket of Docker or Podman: `chosen`, or the one that DOCKER_HOST names, or the first that exists.
 * Engines on other machines are not used: access to such a port is root access there, and what a
 * program leaves behind could not be watched from here.
 */
export function findDockerSocket(
  env: Readonly<Record<string, string | undefined>>,
  chosen?: string,
): DockerSocket {
  if (chosen !== undefined) return socketAt(chosen, 'The setting "sandbox.docker.socket"');
  const named = env['DOCKER_HOST'];
  if (named !== undefined && named !== '') return namedSocket(named);
  const runtime = env['XDG_RUNTIME_DIR'];
  const places = [
    '/var/run/docker.sock',
    ...(runtime ? [`${runtime}/docker.sock`, `${runtime}/podman/podman.sock`] : []),
    '/run/podman/podman.sock',
  ];
  const path = places.find(isSocket);
  if (path !== undefined) return { kind: 'found', path };
  return {
    kind: 'missing',
    reason: `there is no socket of a container engine at ${places.join(', ')}`,
    fix: 'Install and start Docker (apt install docker.io) or Podman (systemctl --user start podman.socket), or set DOCKER_HOST=unix:///path/to.sock',
  };
}

function namedSocket(named: string): DockerSocket {
  if (named.startsWith('unix://')) return socketAt(named.slice('unix://'.length), 'DOCKER_HOST');
  return {
    kind: 'missing',
    reason: `DOCKER_HOST is "${named}", and only engines on this machine (unix://) are used`,
    fix: 'Set DOCKER_HOST=unix:///path/to.sock, or unset it',
  };
}

function socketAt(path: string, who: string): DockerSocket {
  if (isSocket(path)) return { kind: 'found', path };
  const fix = 'Start the engine, or name the socket it listens on';
  return { kind: 'missing', reason: `${who} names ${path}, which is no socket`, fix };
}

function isSocket(path: string): boolean {
  try {
    return statSync(path).isSocket();
  } catch {
    return false;
  }
}

interface Lack {
  readonly message: string;
  readonly fix?: string | undefined;
}

const lackDetails = z.object({
  drivers: z.tuple([z.object({ missing: z.array(z.string()), fixes: z.array(z.string()) })]),
});
const missingDetails = z.object({ problem: z.string(), install: z.string() });

/** What keeps containers from being used, in one sentence, and what helps. */
export function describeLack(error: unknown): Lack {
  if (error instanceof SandboxUnavailableError) {
    const [{ missing, fixes }] = lackDetails.parse(error.details).drivers;
    return { message: missing.join('; '), fix: fixes[0] };
  }
  if (error instanceof ToolchainMissingError) {
    const { problem, install } = missingDetails.parse(error.details);
    return { message: problem, fix: install };
  }
  const message = error instanceof Error ? error.message : String(error);
  const fix = error instanceof DockerRequestError ? fixOf(message) : undefined;
  return fix === undefined ? { message } : { message, fix };
}

function fixOf(message: string): string | undefined {
  if (message.includes('EACCES')) {
    return 'Allow yourself to use the engine, which makes you root on this machine: sudo usermod -aG docker $USER, then log in again. Rootless Docker or Podman need no such right';
  }
  if (message.includes('ECONNREFUSED')) return 'Start the engine: sudo systemctl start docker';
  return undefined;
}
