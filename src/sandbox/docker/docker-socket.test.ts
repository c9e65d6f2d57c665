import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findDockerSocket } from './docker-socket.ts';

async function aSocket(...path: string[]): Promise<{ folder: string; socket: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'tutti-socket-'));
  const socket = join(folder, ...path);
  mkdirSync(join(socket, '..'), { recursive: true });
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(socket, resolve);
  });
  onTestFinished(() => {
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { folder, socket };
}

describe('the socket of the container engine', () => {
  it('is the one that DOCKER_HOST names', async () => {
    const { socket } = await aSocket('engine.sock');
    expect(findDockerSocket({ DOCKER_HOST: `unix://${socket}` })).toEqual({
      kind: 'found',
      path: socket,
    });
  });

  it('is never on another machine', () => {
    const found = findDockerSocket({ DOCKER_HOST: 'tcp://10.0.0.1:2375' });
    expect(found).toMatchObject({
      kind: 'missing',
      reason: expect.stringContaining('tcp://10.0.0.1:2375'),
      fix: expect.stringContaining('unix://'),
    });
  });

  it('is missed by name when DOCKER_HOST names what is no socket', () => {
    const found = findDockerSocket({ DOCKER_HOST: 'unix:///etc/passwd' });
    expect(found).toMatchObject({
      kind: 'missing',
      reason: expect.stringContaining('/etc/passwd'),
    });
  });

  it('is the one that the setting names, whatever DOCKER_HOST says', async () => {
    const { socket } = await aSocket('engine.sock');
    const env = { DOCKER_HOST: 'tcp://10.0.0.1:2375' };
    expect(findDockerSocket(env, socket)).toEqual({ kind: 'found', path: socket });
    expect(findDockerSocket(env, '/nowhere.sock')).toMatchObject({
      reason: 'The setting "sandbox.docker.socket" names /nowhere.sock, which is no socket',
    });
  });

  it('may be that of a rootless Podman', async () => {
    const { folder, socket } = await aSocket('podman', 'podman.sock');
    const found = findDockerSocket({ XDG_RUNTIME_DIR: folder });
    // A machine with a Docker of its own takes that one.
    expect(found.kind === 'found' && [socket, '/var/run/docker.sock'].includes(found.path)).toBe(
      true,
    );
  });
});
