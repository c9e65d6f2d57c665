import { describe, expect, it } from 'vitest';
import { SandboxUnavailableError, ToolchainMissingError } from '../errors.ts';
import { isContainerLeft, newContainerName } from './container-owner.ts';
import { describeLack } from './describe-lack.ts';
import { examineEngine } from './docker-engine.ts';
import { dockerFacts } from './docker-facts.ts';
import { DockerRequestError } from './errors.ts';

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
