import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SandboxUnavailableError, ToolchainMissingError } from '../errors.ts';
import { DockerRequestError } from './docker-api.ts';
import { describeLack, dockerFacts, examineEngine, findDockerSocket } from './docker-engine.ts';
import { isContainerLeft, newContainerName } from './start-container.ts';

const engine = {
  version: '1',
  architecture: 'x64',
  limits: { memory: true, pids: true, cpus: false },
  hasUserNamespaces: false,
} as const;

describe('what an engine is known to hold', () => {
  it('is read from what it says of itself', async () => {
    const answer = {
      ServerVersion: '28.0',
      Architecture: 'aarch64',
      MemoryLimit: true,
      SecurityOptions: ['name=seccomp,profile=builtin', 'name=rootless'],
    };
    const api = { call: async () => answer, connect: () => Promise.reject(new Error()) };
    expect(await examineEngine(api)).toEqual({
      version: '28.0',
      architecture: 'arm64',
      limits: { memory: true, pids: false, cpus: false },
      hasUserNamespaces: true,
    });
    const windows = { ...api, call: async () => ({ ...answer, OSType: 'windows' }) };
    expect((await examineEngine(windows)).architecture).toBeNull();
  });

  it('needs no user namespace as long as nobody inside can become root', () => {
    const full = dockerFacts(engine, new Set());
    expect(full.declared?.['user-namespace']?.holder).toBe('kernel');
    expect(full.holders).toMatchObject({ memory: 'kernel', 'cpu-rate': 'supervisor' });
    for (const left of ['capabilities', 'unprivileged-user', 'new-privileges'] as const) {
      const facts = dockerFacts(engine, new Set([left]));
      expect(facts.declared?.['user-namespace']).toMatchObject({ holder: 'none' });
    }
    const mapped = dockerFacts({ ...engine, hasUserNamespaces: true }, new Set());
    expect(mapped.declared?.['user-namespace']).toBeUndefined();
  });

  it('does not die with us when its container is not held', () => {
    const facts = dockerFacts(engine, new Set(['dies-with-us']));
    expect(facts.declared?.['dies-with-us']?.holder).toBe('none');
  });
});

describe('what keeps containers from being used', () => {
  it('is one sentence and what helps', () => {
    const lack = { driver: 'docker', missing: ['no socket'], fixes: ['start it'] };
    expect(describeLack(new SandboxUnavailableError('docker', [lack]))).toEqual({
      message: 'no socket',
      fix: 'start it',
    });
    const missing = { problem: 'no image', install: 'docker pull it' };
    expect(describeLack(new ToolchainMissingError('node', missing))).toEqual({
      message: 'no image',
      fix: 'docker pull it',
    });
    const closed = new DockerRequestError('GET /info', null, 'connect EACCES /var/run/docker.sock');
    expect(describeLack(closed).fix).toContain('usermod -aG docker');
    const dead = new DockerRequestError('GET /info', null, 'connect ECONNREFUSED');
    expect(describeLack(dead).fix).toContain('systemctl start docker');
    expect(describeLack('odd')).toEqual({ message: 'odd' });
  });
});

describe('the owner of a container', () => {
  it('lives as long as this process', () => {
    expect(isContainerLeft(`/${newContainerName()}`)).toBe(false);
    expect(isContainerLeft('/somebody-elses')).toBe(false);
  });

  // What it looks at only Linux has: /proc, and the tools of GNU.
  it.skipIf(process.platform !== 'linux')('is dead when its process is another now', () => {
    const name = newContainerName().replace(/-\d+-([0-9a-f]{12})$/, '-1-$1');
    expect(isContainerLeft(`/${name}`)).toBe(true);
  });
});

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

it.each([
  ['connect EACCES /var/run/docker.sock', 'usermod -aG docker'],
  ['connect ECONNREFUSED /var/run/docker.sock', 'systemctl start docker'],
])('says what helps when the engine cannot be reached: %s', (reason, fix) => {
  const lack = describeLack(new DockerRequestError('GET /info', null, reason));
  expect(lack.message).toContain(reason);
  expect(lack.fix).toContain(fix);
});

it('says no more than it knows of another failure', () => {
  expect(describeLack(new Error('odd'))).toEqual({ message: 'odd' });
});
