import { spawnSync } from 'node:child_process';
import {
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { loadSettings, settingVariables } from '../src/config/index.ts';

const read = (path: string): string => readFileSync(path, 'utf8');
const has = (program: string): boolean => spawnSync(program, ['--help']).error === undefined;
const port = 8004;
/** What ends Tutti must wait for calls to be answered, and for servers and the store to be closed. */
const defaults = await loadSettings({
  flags: {},
  env: {},
  cwd: tmpdir(),
  homeDirectory: tmpdir(),
  platform: 'linux',
});
const drainSeconds = defaults.values.server.drain_seconds;
const spareSeconds = 15;

const service = z.object({
  image: z.string(),
  volumes: z.array(z.string()).default([]),
  ports: z.array(z.string()).default([]),
  environment: z.record(z.string(), z.string()).default({}),
  cap_drop: z.array(z.string()).optional(),
  stop_grace_period: z.string().optional(),
  security_opt: z.array(z.string()).optional(),
});
const compose = z
  .object({ services: z.record(z.string(), service), volumes: z.record(z.string(), z.unknown()) })
  .parse(parse(read('deploy/compose.yaml'), { merge: true }));

const probe = z.object({
  httpGet: z.object({
    path: z.string(),
    port: z.literal('http'),
    httpHeaders: z.tuple([z.object({ name: z.literal('Host'), value: z.literal('localhost') })]),
  }),
});
const container = z.object({
  image: z.string(),
  startupProbe: probe,
  livenessProbe: probe,
  readinessProbe: probe,
  ports: z.tuple([z.object({ name: z.literal('http'), containerPort: z.literal(port) })]),
  env: z.array(z.object({ name: z.string() })),
  securityContext: z.object({
    allowPrivilegeEscalation: z.literal(false),
    readOnlyRootFilesystem: z.literal(true),
    capabilities: z.object({ drop: z.tuple([z.literal('ALL')]) }),
  }),
});
const workload = z.object({
  kind: z.literal('StatefulSet'),
  spec: z.object({
    template: z.object({
      spec: z.object({
        automountServiceAccountToken: z.literal(false),
        terminationGracePeriodSeconds: z.number().min(drainSeconds + 5 + spareSeconds),
        securityContext: z.object({
          runAsNonRoot: z.literal(true),
          runAsUser: z.number().min(1),
          seccompProfile: z.object({ type: z.literal('RuntimeDefault') }),
        }),
        containers: z.tuple([container]),
      }),
    }),
  }),
});

function documentsOf(path: string): readonly { readonly kind?: string }[] {
  const found = parseAllDocuments(read(path), { merge: true });
  return found.map((one) => {
    expect(one.errors, path).toEqual([]);
    return Object(one.toJS());
  });
}

const manifests = globSync('deploy/kubernetes/*.yaml').flatMap(documentsOf);

/** The variables of Tutti among these names; the rest are those of compose and of the scripts. */
const ownVariables = new Set(['TUTTI_PROJECT', 'TUTTI_IMAGE', 'TUTTI_PORT', 'TUTTI_HOME']);
const unknownVariables = (text: string): readonly string[] =>
  (text.match(/\bTUTTI_[A-Z_]+/g) ?? []).filter(
    (name) => !settingVariables().includes(name) && !ownVariables.has(name),
  );

describe('deployment files', () => {
  it('are YAML without errors', () => {
    const files = globSync(['deploy/**/*.yaml', '.github/workflows/*.yml']);
    expect(files.length).toBeGreaterThan(12);
    for (const file of files) expect(documentsOf(file).length, file).toBeGreaterThan(0);
  });

  it('name images by version, mount files that exist, and publish on loopback alone', () => {
    for (const [name, one] of Object.entries(compose.services)) {
      if (name !== 'tutti')
        expect(one.image).toMatch(/:v?\d+\.\d+(?:\.\d+)?(?:@sha256:[0-9a-f]{64})?$/);
      expect(one.cap_drop, name).toEqual(['ALL']);
      expect(one.security_opt, name).toEqual(['no-new-privileges:true']);
      for (const published of one.ports) expect(published).toMatch(/^127\.0\.0\.1:/);
      for (const [source = ''] of one.volumes.map((volume) => volume.split(':'))) {
        if (source.startsWith('./')) expect(existsSync(join('deploy', source)), source).toBe(true);
        else if (!source.startsWith('$')) expect(Object.keys(compose.volumes)).toContain(source);
      }
    }
    expect(compose.services['tutti']?.ports[0]).toMatch(new RegExp(`:${port}$`));
    expect(parse(read('deploy/prometheus.yaml'))).toMatchObject({
      rule_files: ['alerts/tutti.rules.yaml'],
      scrape_configs: [{ job_name: 'tutti', static_configs: [{ targets: [`tutti:${port}`] }] }],
    });
  });

  it('wait for calls that are under way before they kill', () => {
    const least = drainSeconds + spareSeconds;
    const unit = /^TimeoutStopSec=(\d+)$/m.exec(read('deploy/tutti.service'))?.[1];
    expect(Number(unit)).toBeGreaterThanOrEqual(least);
    const grace = compose.services['tutti']?.stop_grace_period;
    expect(Number(grace?.replace(/s$/, ''))).toBeGreaterThanOrEqual(least);
  });

  it('set only what the program knows', () => {
    expect(unknownVariables('TUTTI_NO_SUCH_SETTING=1')).toEqual(['TUTTI_NO_SUCH_SETTING']);
    const files = ['compose.yaml', '.env.example', 'tutti.service', 'kubernetes/tutti.yaml'];
    for (const file of files) expect(unknownVariables(read(`deploy/${file}`)), file).toEqual([]);
    expect(read('deploy/Dockerfile')).toContain(`EXPOSE ${port}`);
  });

  it('run Tutti on Kubernetes without rights, probed at paths that it serves', () => {
    const { containers } = workload.parse(manifests.find(({ kind }) => kind === 'StatefulSet')).spec
      .template.spec;
    const [{ image, livenessProbe, readinessProbe, startupProbe }] = containers;
    const paths = [startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => httpGet.path);
    expect(paths).toEqual(['/health', '/health', '/ready']);
    const { version } = JSON.parse(read('package.json')) as { version: string };
    expect(parse(read('deploy/kubernetes/kustomization.yaml'))).toMatchObject({
      images: [{ name: image, newTag: version }],
    });
    const kinds = ['PodDisruptionBudget', 'HorizontalPodAutoscaler', 'NetworkPolicy', 'Service'];
    for (const kind of kinds)
      expect(
        manifests.some((one) => one.kind === kind),
        kind,
      ).toBe(true);
  });

  it('have scripts that are shell, stop at the first failure and can be executed', () => {
    for (const script of globSync('deploy/*.sh')) {
      expect(spawnSync('bash', ['-n', script]).status, script).toBe(0);
      expect(read(script)).toContain('set -euo pipefail');
      expect(statSync(script).mode & 0o111).toBe(0o111);
    }
  });

  it('switch versions, keep the copy of the database of the version before, and go back', () => {
    const folder = mkdtempSync(join(tmpdir(), 'tutti-deploy-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const log = join(folder, 'calls');
    const note = `echo "$TUTTI_IMAGE $*" | grep -oE "^[^ ]*|backup|mv|up|down" | tr '\\n' ' ' >>${log}; echo >>${log}`;
    const stand = { docker: note, curl: `[ ! -e ${folder}/broken ]`, sleep: 'true' };
    for (const [name, body] of Object.entries(stand)) {
      writeFileSync(join(folder, name), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
    }
    const env = {
      PATH: `${folder}:${process.env['PATH']}`,
      TUTTI_SWITCH: 'true',
      TUTTI_DEPLOY_STATE: join(folder, 'state'),
    };
    const calls = (
      ...argv: readonly [string, ...string[]]
    ): readonly (string | number | null)[] => {
      writeFileSync(log, '');
      const [script, ...more] = argv;
      const { status } = spawnSync(`deploy/${script}.sh`, more, { env });
      return [
        status,
        ...read(log)
          .split('\n')
          .map((line) => line.trim())
          .filter(Boolean),
      ];
    };
    expect(calls('blue-green', 'x:latest')).toEqual([2]);
    expect(calls('rollback')).toEqual([2]);
    expect(calls('blue-green', 'x:1')).toEqual([0, 'x:1 up']);
    const switched = [0, 'x:1 backup', 'x:2 up', 'x:1 mv', 'x:1 down'];
    expect(calls('blue-green', 'x:2')).toEqual(switched);
    writeFileSync(join(folder, 'broken'), '');
    expect(calls('blue-green', 'x:3')).toEqual([1, 'x:2 backup', 'x:3 up', 'x:3 down']);
    rmSync(join(folder, 'broken'));
    expect(calls('rollback')).toEqual([0, 'x:1 up', 'x:2 down']);
  });

  it('have workflows with the fewest rights and a time limit for each job', () => {
    const schema = z.object({
      permissions: z.record(z.string(), z.enum(['read', 'write'])),
      jobs: z.record(z.string(), z.object({ 'timeout-minutes': z.number().max(60) })),
    });
    for (const file of globSync('.github/workflows/*.yml')) {
      const { permissions } = schema.parse(parse(read(file)));
      expect(permissions['contents'], file).toBe('read');
      expect(read(file)).not.toMatch(/uses: \S+@(?:main|master)\b|\$\{\{ github\.event\.(?!name)/);
    }
  });

  it.skipIf(!has('kubectl'))('render with kubectl kustomize (skipped without kubectl)', () => {
    const { status, stderr } = spawnSync('kubectl', ['kustomize', 'deploy/kubernetes'], {
      encoding: 'utf8',
    });
    expect(status, stderr).toBe(0);
  });

  it.skipIf(!has('promtool'))('are taken by promtool (skipped without it)', () => {
    const check = ['check', 'config', '--syntax-only', 'deploy/prometheus.yaml'];
    expect(spawnSync('promtool', check).status).toBe(0);
  });
});
