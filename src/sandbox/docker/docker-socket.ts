import { statSync } from 'node:fs';

/** Where the engine listens, or why there is nowhere to ask. */
export type DockerSocket =
  | { readonly kind: 'found'; readonly path: string }
  | { readonly kind: 'missing'; readonly reason: string; readonly fix: string };

/**
 * The socket of Docker or Podman: `chosen`, or the one that DOCKER_HOST names, or the first that exists.
 * Engines on other machines are not used: whoever can reach such a port is root there, and what a
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
