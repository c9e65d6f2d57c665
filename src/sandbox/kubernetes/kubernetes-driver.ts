import { randomBytes, randomInt } from 'node:crypto';
import { z } from 'zod';
import type { DriverReport, SandboxResult } from '../../contract/sandbox/index.ts';
import { reportError } from '../../kernel/index.ts';
import { bootCommand, minimalEnv } from '../boot/boot.ts';
import { encodeJob } from '../boot/encode-job.ts';
import { readTar } from '../collect/read-tar.ts';
import type { PreparedSandbox, SandboxDriver, SandboxJob, SandboxShape } from '../driver.ts';
import { InvalidRunError, ToolchainMissingError } from '../errors.ts';
import { type CanaryFacts, runCanaries } from '../probe/run-canaries.ts';
import { endOfRun } from '../supervise-run.ts';
import { languages } from '../toolchains/languages.ts';
import {
  type AccessOptions,
  type ClusterApi,
  clusterApi,
  ClusterRequestError,
  findClusterAccess,
} from './cluster-api.ts';
import { maxJobBytes, networkPolicy, ownLabel, type PodSettings } from './manifests.ts';
import { type ClusterOutcome, type ClusterRun, runInCluster } from './run-in-cluster.ts';

interface KubernetesOptions {
  /** Asked for when first needed: finding the cluster may read files and start a program. */
  readonly api: () => Promise<ClusterApi>;
  readonly pods: Omit<PodSettings, 'namespace'>;
  /** The image per toolchain, `default` for the others. */
  readonly images: Readonly<Record<string, string>>;
  /** For tests. */
  readonly runCanaries?: typeof runCanaries;
}

const name = 'kubernetes';
/** Above the numbers that people and services have. */
const firstUid = 100_000;
const lastUid = 2_000_000_000;
const collectOverhead = 4;

/** Runs each program as a Job of a cluster. Nothing is started in advance: a pod waits for its job. */
export function createKubernetesDriver(options: KubernetesOptions): SandboxDriver {
  const driver: SandboxDriver = {
    name,
    async findToolchain(wanted) {
      const image = options.images[wanted] ?? options.images['default'];
      const program = languages[wanted]?.program;
      if (image !== undefined && program !== undefined) {
        return { name: wanted, version: image, program, mounts: [], searchPath: [], env: {} };
      }
      throw new ToolchainMissingError(wanted, {
        problem: `no image is named for ${wanted}`,
        install: `Set "sandbox.kubernetes.images.${wanted}" to an image that has it`,
      });
    },
    async prepare(shape) {
      if (shape.mounts.length > 0) {
        throw new InvalidRunError('a cluster cannot see the folders of this machine');
      }
      return waitingSandbox(options, shape);
    },
    probe: (signal) => probe(options, driver, signal),
    async fingerprint() {
      const api = await options.api();
      const { server, namespace } = api;
      const { pods, images } = options;
      return JSON.stringify([server, namespace, await versionOf(api), pods, images]);
    },
    sweep: async () => sweep(await options.api()),
    close: async () => {},
  };
  return driver;
}

function waitingSandbox(options: KubernetesOptions, shape: SandboxShape): PreparedSandbox {
  return {
    idleMemoryBytes: 0,
    isUsable: () => true,
    accepts: () => true,
    run: async (job, watch) => {
      const api = await options.api();
      await ensureNetworkPolicy(api);
      const input = Buffer.concat(encodeJob(job));
      if (input.length > maxJobBytes) {
        throw new InvalidRunError(
          `its files and input are ${input.length} bytes, and a cluster takes ${maxJobBytes}`,
        );
      }
      const run = clusterRun({ api, options, shape, job });
      return describeOutcome(await runInCluster({ ...run, input, watch }), job);
    },
    dispose: async () => {},
  };
}

interface RunParts {
  readonly api: ClusterApi;
  readonly options: KubernetesOptions;
  readonly shape: SandboxShape;
  readonly job: SandboxJob;
}

function clusterRun({ api, options, shape, job }: RunParts): Omit<ClusterRun, 'input' | 'watch'> {
  const { collect, limits, program } = job;
  const most = collect === null ? 0 : collect.maxBytes * collectOverhead + limits.diskBytes;
  const collector = [
    'sh',
    '-c',
    `tar -cf - -C /work -- "$@" | head -c ${most} | base64`,
    'collect',
  ];
  const paths = collect === null || collect.paths.length === 0 ? ['.'] : collect.paths;
  return {
    api,
    settings: { ...options.pods, namespace: api.namespace },
    maxCollectedBytes: most * 2,
    request: {
      name: `tutti-${randomBytes(8).toString('hex')}`,
      image: shape.toolchain.version,
      boot: bootCommand(program.kind, shape.toolchain),
      env: minimalEnv(shape.toolchain),
      limits,
      uid: randomInt(firstUid, lastUid),
      collector: collect === null ? null : [...collector, ...paths],
    },
  };
}

function describeOutcome(
  { end, killed, output, wallMs, collected }: ClusterOutcome,
  job: SandboxJob,
): Omit<SandboxResult, 'wasWarm'> {
  const files = collected && job.collect ? readTar(collected, job.collect) : null;
  return {
    ...endOfRun({ exitCode: end.exitCode, signal: null }, killed, end.reason),
    stdout: output.read('stdout'),
    stderr: output.read('stderr'),
    truncated: output.isTruncated,
    usage: { wallMs, cpuMs: end.cpuMs, peakMemoryBytes: end.peakMemoryBytes },
    files: files?.files ?? [],
    observations: files?.observations ?? [],
    driver: name,
  };
}

async function ensureNetworkPolicy(api: ClusterApi): Promise<void> {
  const path = `/apis/networking.k8s.io/v1/namespaces/${api.namespace}/networkpolicies`;
  await api.create(path, networkPolicy(api.namespace)).catch((error: unknown) => {
    const isThere = error instanceof ClusterRequestError && error.status === 409;
    if (!isThere) throw error;
  });
}

/**
 * What an earlier Tutti left: jobs that are over, and secrets whose job is gone. Only old ones: the files
 * of a run that has just ended may be on their way to a Tutti that lives.
 */
async function sweep(api: ClusterApi): Promise<number> {
  const selector = encodeURIComponent(
    Object.entries(ownLabel)
      .map(([key, value]) => `${key}=${value}`)
      .join(','),
  );
  const jobs = `/apis/batch/v1/namespaces/${api.namespace}/jobs`;
  const secrets = `/api/v1/namespaces/${api.namespace}/secrets`;
  const found = listSchema.parse(await api.read(`${jobs}?labelSelector=${selector}`)).items;
  const over = found.filter(isLongOver).map(({ metadata }) => metadata.name);
  const others = new Set(found.map(({ metadata }) => metadata.name)).difference(new Set(over));
  const kept = listSchema.parse(await api.read(`${secrets}?labelSelector=${selector}`)).items;
  // A secret is made a moment before its job: a young one may belong to a run that is just starting.
  const orphans = kept.filter(
    ({ metadata }) => !others.has(metadata.name) && isOld(metadata.creationTimestamp),
  );
  for (const job of over) await api.remove(`${jobs}/${job}`);
  for (const { metadata } of orphans) await api.remove(`${secrets}/${metadata.name}`);
  return over.length + orphans.length;
}

const listSchema = z.looseObject({
  items: z.array(
    z.looseObject({
      metadata: z.looseObject({ name: z.string(), creationTimestamp: z.string().optional() }),
      status: z
        .looseObject({
          conditions: z
            .array(z.looseObject({ type: z.string(), lastTransitionTime: z.string().optional() }))
            .optional(),
        })
        .optional(),
    }),
  ),
});

type Item = z.infer<typeof listSchema>['items'][number];

const orphanAgeMs = 600_000;

function isLongOver({ status }: Item): boolean {
  const end = status?.conditions?.find(({ type }) => type === 'Complete' || type === 'Failed');
  return end !== undefined && isOld(end.lastTransitionTime);
}

function isOld(createdAt: string | undefined): boolean {
  const age = Date.now() - Date.parse(createdAt ?? '');
  return age > orphanAgeMs;
}

const fixNetwork =
  'Use a network plugin that enforces NetworkPolicy (Calico, Cilium …); without one the policy is ignored';

/** A cluster that answers is tried by the same canaries as every other driver. */
async function probe(
  options: KubernetesOptions,
  driver: SandboxDriver,
  signal?: AbortSignal,
): Promise<DriverReport> {
  let version: string;
  try {
    const api = await options.api();
    version = await versionOf(api);
    await ensureNetworkPolicy(api);
  } catch (error) {
    const { message } = reportError(error);
    const fix =
      'Name the cluster: "sandbox.kubernetes.kubeconfig" and "sandbox.kubernetes.context"';
    return { driver: name, state: 'unavailable', message, fix, protections: [] };
  }
  const protections = await (options.runCanaries ?? runCanaries)(driver, facts, signal);
  const message = `Kubernetes ${version}; written without a cluster at hand: trust what the canaries say`;
  return { driver: name, state: 'unproven', message, protections: protections.map(withFix) };
}

function withFix(report: DriverReport['protections'][number]): typeof report {
  const isOpen = report.protection === 'network' && report.holder === 'none';
  return isOpen ? { ...report, fix: fixNetwork } : report;
}

async function versionOf(api: ClusterApi): Promise<string> {
  return versionSchema.parse(await api.read('/version')).gitVersion;
}

const versionSchema = z.looseObject({ gitVersion: z.string() });

interface ClusterPlace extends AccessOptions {
  /** What toolchains without an image of their own run in. */
  readonly image: string;
  /** Images by the name of the toolchain. */
  readonly images: Readonly<Record<string, string>>;
  readonly runtimeClass?: string | undefined;
}

const facts: CanaryFacts = {
  // A node may hold the size of the work folder by throwing the pod out some time later.
  holders: { memory: 'kernel', 'cpu-rate': 'kernel', disk: 'supervisor' },
  declared: {
    'dies-with-us': {
      holder: 'supervisor',
      evidence:
        'the cluster ends every job at its deadline, and the next start removes what is left',
    },
  },
  // A pod that has to be scheduled first takes seconds where other sandboxes take milliseconds.
  maxCanaryMs: 60_000,
};

/** Jobs of the cluster that the files of this machine lead to; it is looked for when first needed. */
export function openKubernetes(place: ClusterPlace): SandboxDriver {
  let connecting: Promise<ClusterApi> | undefined;
  const connect = async (): Promise<ClusterApi> => {
    try {
      return clusterApi(await findClusterAccess(place));
    } catch (error) {
      // The file may be there by the next call.
      connecting = undefined;
      throw error;
    }
  };
  return createKubernetesDriver({
    api: () => (connecting ??= connect()),
    pods: { runtimeClass: place.runtimeClass },
    images: { ...place.images, default: place.image },
  });
}
