import { afterEach, describe, expect, it } from 'vitest';
import type { OutputPiece, RunWatch, SandboxResult } from '../../contract/sandbox/index.ts';
import { encodeTar } from '../boot/encode-job.ts';
import type { SandboxJob } from '../driver.ts';
import { defaultLimits } from '../limits.ts';
import { createKubernetesDriver } from './kubernetes-driver.ts';
import {
  anApiServer,
  type AnApiServer,
  type PodStory,
} from '../../../testkit/sandbox/kubernetes/an-api-server.ts';

const open: AnApiServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

async function aCluster(story?: PodStory) {
  const server = await anApiServer(story);
  open.push(server);
  const driver = createKubernetesDriver({
    api: async () => server.api,
    pods: { runtimeClass: 'gvisor' },
    images: { python: 'python:3.13-slim', default: 'debian:12' },
    runCanaries: async () => [{ protection: 'network', holder: 'none', evidence: 'got out' }],
  });
  return { server, driver };
}

const aJob = (job: Partial<SandboxJob> = {}): SandboxJob => ({
  program: { kind: 'python', main: 'main.py', args: ['a b'] },
  files: { 'main.py': 'print(1)' },
  env: { COLOUR: 'blue' },
  stdin: 'typed',
  limits: defaultLimits,
  collect: null,
  ...job,
});

interface Ran {
  readonly server: AnApiServer;
  readonly result: Omit<SandboxResult, 'wasWarm'>;
}

async function run(
  story: PodStory,
  job: Partial<SandboxJob> = {},
  watch: RunWatch = {},
): Promise<Ran> {
  const { server, driver } = await aCluster(story);
  const toolchain = await driver.findToolchain('python');
  const limits = job.limits ?? defaultLimits;
  const sandbox = await driver.prepare({ toolchain, boot: 'python', mounts: [], limits });
  return { server, result: await sandbox.run(aJob(job), watch) };
}

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();
const ofKind = ({ created }: AnApiServer, kind: string): Record<string, unknown> | undefined =>
  created.find((body) => body['kind'] === kind);

describe('a program in a cluster', () => {
  it('runs as a job that has no account, no privileges, no network and an end', async () => {
    const { server } = await run({});
    expect(ofKind(server, 'Job')).toMatchObject({
      metadata: { namespace: 'work', labels: { 'app.kubernetes.io/managed-by': 'tutti-sandbox' } },
      spec: {
        backoffLimit: 0,
        activeDeadlineSeconds: 150,
        template: {
          spec: {
            restartPolicy: 'Never',
            runtimeClassName: 'gvisor',
            automountServiceAccountToken: false,
            enableServiceLinks: false,
            hostNetwork: false,
            hostUsers: false,
            securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
            volumes: [
              { name: 'work', emptyDir: { medium: 'Memory', sizeLimit: '134217728' } },
              { name: 'tmp', emptyDir: { medium: 'Memory', sizeLimit: '67108864' } },
              { name: 'input', secret: { defaultMode: 0o444 } },
            ],
            initContainers: [
              {
                name: 'program',
                image: 'python:3.13-slim',
                resources: { limits: { cpu: '1', memory: '536870912' } },
                securityContext: {
                  allowPrivilegeEscalation: false,
                  readOnlyRootFilesystem: true,
                  capabilities: { drop: ['ALL'] },
                },
              },
            ],
          },
        },
      },
    });
    expect(ofKind(server, 'NetworkPolicy')).toMatchObject({
      spec: { policyTypes: ['Ingress', 'Egress'], ingress: [], egress: [] },
    });
    expect(server.requests.every((request) => request.endsWith('Bearer secret'))).toBe(true);
  });

  it('is given its files, environment and input as a secret', async () => {
    const { server } = await run({});
    const data = ofKind(server, 'Secret')?.['data'] as Record<string, string>;
    const input = Buffer.from(data['job'] ?? '', 'base64').toString();
    expect(input).toContain('"main":"main.py","args":["a b"],"env":{"COLOUR":"blue"}');
    expect(input.endsWith('print(1)typed')).toBe(true);
  });

  it('leaves neither job nor secret behind', async () => {
    const { server } = await run({});
    expect(server.removed).toEqual([
      expect.stringMatching(/^\/apis\/batch\/v1\/namespaces\/work\/jobs\/tutti-[0-9a-f]{16}$/),
      expect.stringMatching(/^\/api\/v1\/namespaces\/work\/secrets\/tutti-[0-9a-f]{16}$/),
    ]);
  });

  it('is heard while it runs, without the ready mark, however the log is cut', async () => {
    const pieces: OutputPiece[] = [];
    const log = ['tut', 'ti-rea', 'dy\nfir', 'st\n', Buffer.from([0xff, 0x00])];
    const { result } = await run({ log }, {}, { onOutput: (piece) => pieces.push(piece) });
    expect(Buffer.from(result.stdout)).toEqual(
      Buffer.concat([Buffer.from('first\n'), Buffer.from([0xff, 0x00])]),
    );
    expect(pieces.map(({ sequence }) => sequence)).toEqual(pieces.map((_, index) => index));
  });

  it('ends with its own exit code, and with what it used', async () => {
    const message = '42 2097152\n0m0.00s 0m0.01s\n0m1.20s 0m0.30s\n';
    const { result } = await run({ terminated: { exitCode: 0, message } });
    expect(result).toMatchObject({ status: 'exited', exitCode: 42, reason: null });
    expect(result.usage).toMatchObject({ cpuMs: 1500, peakMemoryBytes: 2_097_152 });
  });

  it('that died by a signal says which', async () => {
    const { result } = await run({ terminated: { exitCode: 0, message: '139 0' } });
    expect(result).toMatchObject({ status: 'signalled', signal: 'SIGSEGV' });
  });

  it.each([
    ['memory', { terminated: { exitCode: 137, reason: 'OOMKilled' } }],
    ['disk', { podStatus: { phase: 'Failed', reason: 'Evicted', message: 'emptyDir "work"' } }],
    ['timeout', { podStatus: { phase: 'Failed', reason: 'DeadlineExceeded' } }],
    ['cpu', { terminated: { exitCode: 0, message: '152 0' } }],
  ] as const)('that the cluster ended for %s says so', async (reason, story) => {
    const { result } = await run({ terminated: { exitCode: 137 }, ...story });
    expect(result).toMatchObject({ status: 'killed', reason });
  });

  it('is removed at its wall time', async () => {
    const limits = { ...defaultLimits, wallMs: 300 };
    const { server, result } = await run({ neverEnds: true }, { limits });
    expect(result).toMatchObject({ status: 'killed', reason: 'timeout' });
    expect(server.removed).toHaveLength(2);
  });

  it('is removed when it is cancelled', async () => {
    const cancel = new AbortController();
    const onOutput = (): void => cancel.abort();
    const story = { neverEnds: true, log: ['tutti-ready\nhello'] };
    const { server, result } = await run(story, {}, { signal: cancel.signal, onOutput });
    expect(result).toMatchObject({ status: 'killed', reason: 'cancelled' });
    expect(text(result.stdout)).toBe('hello');
    expect(server.removed).toHaveLength(2);
  });

  it('is removed when it writes more than it may', async () => {
    const limits = { ...defaultLimits, outputBytes: 10 };
    const log = ['tutti-ready\n', 'x'.repeat(50)];
    const { result } = await run({ neverEnds: true, log }, { limits });
    expect(result).toMatchObject({ status: 'killed', reason: 'output', truncated: true });
    expect(text(result.stdout)).toBe('x'.repeat(10));
  });

  it('has its files brought back by a second container', async () => {
    const tar = encodeTar([{ path: './out/a.txt', bytes: Buffer.from('kept'), mode: 0o644 }]);
    const collectorLog = Buffer.from(tar)
      .toString('base64')
      .replace(/(.{76})/g, '$1\n');
    const collect = { paths: ['out'], maxFiles: 10, maxBytes: 1000 };
    const { server, result } = await run({ collectorLog }, { collect });
    expect(result.files.map(({ path, bytes }) => [path, text(bytes)])).toEqual([
      ['out/a.txt', 'kept'],
    ]);
    expect(JSON.stringify(ofKind(server, 'Job'))).toContain('"collect","out"]');
  });
});

describe('a cluster that does not do it', () => {
  it('because the image cannot be fetched is named with the cluster’s own words', async () => {
    const waiting = { reason: 'ErrImagePull', message: 'no such image' };
    await expect(run({ waiting })).rejects.toMatchObject({
      code: 'sandbox.not_started',
      message: expect.stringContaining('ErrImagePull no such image'),
    });
  });

  it('because we may not is named with its answer', async () => {
    const refusal = { status: 403, message: 'jobs is forbidden' };
    await expect(run({ refusal })).rejects.toMatchObject({
      code: 'sandbox.cluster_failed',
      message: expect.stringContaining('403: jobs is forbidden'),
    });
  });

  it('is unavailable to the doctor, with what to do', async () => {
    const { driver } = await aCluster({ refusal: { status: 401, message: 'who are you' } });
    expect(await driver.probe()).toMatchObject({
      state: 'unavailable',
      message: expect.stringContaining('who are you'),
      fix: expect.stringContaining('kubeconfig'),
    });
  });

  it('refuses what is larger than a secret, and folders of this machine', async () => {
    const files = { 'big.bin': new Uint8Array(1024 * 1024) };
    await expect(run({}, { files })).rejects.toMatchObject({ code: 'sandbox.invalid_run' });
    const { driver } = await aCluster();
    const toolchain = await driver.findToolchain('python');
    const mounts = [{ source: '/srv', target: '/work/srv' }];
    const shape = { toolchain, boot: 'python', mounts, limits: defaultLimits } as const;
    await expect(driver.prepare(shape)).rejects.toMatchObject({ code: 'sandbox.invalid_run' });
  });

  it('names the plugin that is missing when the network is open all the same', async () => {
    const { driver } = await aCluster();
    expect(await driver.probe()).toMatchObject({
      state: 'unproven',
      message: expect.stringContaining('Kubernetes v1.34.0'),
      protections: [{ fix: expect.stringContaining('NetworkPolicy') }],
    });
  });

  it('is remembered by its address, its version and what runs in it', async () => {
    const { server, driver } = await aCluster();
    const fingerprint = await driver.fingerprint?.();
    for (const part of [server.url, 'work', 'v1.34.0', 'gvisor', 'debian:12'])
      expect(fingerprint).toContain(part);
  });

  it('names the setting for a language without an image', async () => {
    const { driver } = await aCluster();
    await expect(driver.findToolchain('cobol')).rejects.toMatchObject({
      code: 'sandbox.toolchain_missing',
      message: expect.stringContaining('sandbox.kubernetes.images.cobol'),
    });
  });
});

describe('what a dead Tutti left in a cluster', () => {
  const ago = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();
  const job = (name: string, end?: { type: string; lastTransitionTime: string }) => ({
    metadata: { name, creationTimestamp: ago(60) },
    status: end ? { conditions: [{ type: 'FailureTarget' }, end] } : { active: 1 },
  });
  const secret = (name: string, minutes: number) => ({
    metadata: { name, creationTimestamp: ago(minutes) },
  });

  it('is removed, and nothing of one that lives', async () => {
    const { server, driver } = await aCluster({
      jobs: [
        job('done', { type: 'Complete', lastTransitionTime: ago(20) }),
        job('failed', { type: 'Failed', lastTransitionTime: ago(20) }),
        job('just-done', { type: 'Complete', lastTransitionTime: ago(1) }),
        job('running'),
      ],
      secrets: [
        secret('done', 60),
        secret('just-done', 60),
        secret('running', 60),
        secret('orphan', 60),
        secret('starting', 1),
      ],
    });
    expect(await driver.sweep()).toBe(4);
    expect(server.removed).toEqual([
      '/apis/batch/v1/namespaces/work/jobs/done',
      '/apis/batch/v1/namespaces/work/jobs/failed',
      '/api/v1/namespaces/work/secrets/done',
      '/api/v1/namespaces/work/secrets/orphan',
    ]);
    const asked = server.requests.filter((request) => request.startsWith('GET'));
    expect(asked.every((request) => request.includes('tutti-sandbox'))).toBe(true);
  });
});
