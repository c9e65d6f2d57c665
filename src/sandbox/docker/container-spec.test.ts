import { describe, expect, it } from 'vitest';
import type { Protection } from '../../contract/sandbox/index.ts';
import { defaultLimits } from '../limits.ts';
import { dockerSeccompProfile } from '../seccomp/docker-seccomp-profile.ts';
import { containerSpec } from './container-spec.ts';

const toolchain = {
  name: 'python',
  version: '3',
  program: '/usr/bin/python3',
  mounts: [],
  searchPath: [],
  env: {},
};

function aSpec(without: readonly Protection[] = [], volumes: readonly string[] = []): object {
  const mounts = [{ source: '/data', target: '/data' }];
  return containerSpec({
    shape: { toolchain, boot: 'python', mounts, limits: defaultLimits },
    image: { name: 'some:image', volumes },
    profile: dockerSeccompProfile('x64'),
    runtime: undefined,
    without: new Set(without),
  });
}

describe('what an engine is asked for', () => {
  it('has no network, no capability, no way to more rights and a read-only root', () => {
    expect(aSpec()).toMatchObject({
      Image: 'some:image',
      User: '1001:1001',
      HostConfig: {
        Init: true,
        AutoRemove: true,
        NetworkMode: 'none',
        ReadonlyRootfs: true,
        Privileged: false,
        CapDrop: ['ALL'],
        SecurityOpt: ['no-new-privileges', expect.stringContaining('SCMP_ACT_ERRNO')],
        LogConfig: { Type: 'none' },
      },
    });
  });

  it('limits memory without swap, processes, processors, open files and folders', () => {
    const { memoryBytes } = defaultLimits;
    expect(aSpec()).toMatchObject({
      HostConfig: {
        Memory: memoryBytes,
        MemorySwap: memoryBytes,
        PidsLimit: defaultLimits.pids + 2,
        NanoCpus: 1e9,
        Ulimits: expect.arrayContaining([{ Name: 'core', Soft: 1, Hard: 1 }]),
        Tmpfs: {
          '/work': expect.stringContaining(`size=${defaultLimits.diskBytes},`),
          '/tmp': expect.stringContaining(`size=${64 * 1024 * 1024}`),
        },
      },
    });
  });

  it('mounts what the run names read-only, and covers the volumes of the image', () => {
    expect(aSpec([], ['/var/lib/db'])).toMatchObject({
      HostConfig: {
        Mounts: [{ Type: 'bind', Source: '/data', Target: '/data', ReadOnly: true }],
        Tmpfs: { '/var/lib/db': expect.stringContaining('size=64k') },
      },
    });
  });

  it('leaves out single protections for the tests that look for it', () => {
    expect(aSpec(['network', 'read-only-system', 'system-calls'])).toMatchObject({
      HostConfig: {
        NetworkMode: 'host',
        ReadonlyRootfs: false,
        SecurityOpt: ['no-new-privileges', 'seccomp=unconfined'],
      },
    });
    const [profile] = /"seccomp=.*/.exec(JSON.stringify(aSpec(['nested-namespaces']))) ?? [''];
    expect(profile.replaceAll('\\', '')).toContain(
      '{"names":["clone","unshare","setns"],"action":"SCMP_ACT_ALLOW"}',
    );
    expect(JSON.stringify(aSpec(['memory', 'pids', 'cpu-rate']))).not.toMatch(
      /MemorySwap|PidsLimit|NanoCpus/,
    );
  });
});
