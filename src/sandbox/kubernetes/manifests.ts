import type { SandboxLimits } from '../../contract/sandbox/index.ts';

/** What the pods of sandboxes have in common, from the settings. */
export interface PodSettings {
  readonly namespace: string;
  /** A stronger wall than the node's own kernel, such as `gvisor` or `kata`. */
  readonly runtimeClass?: string | undefined;
}

export interface PodRequest {
  /** Unique: names the job, its secret and its pod. */
  readonly name: string;
  readonly image: string;
  /** What waits for the job on its standard input. */
  readonly boot: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly limits: SandboxLimits;
  /** A number of its own for each run, so that the limit of processes counts just this run's. */
  readonly uid: number;
  /** What the second container runs to hand the files over; null when none are wanted. */
  readonly collector: readonly string[] | null;
}

/** Marks everything of ours, for the network policy and for sweeping. */
export const ownLabel = { 'app.kubernetes.io/managed-by': 'tutti-sandbox' } as const;
export const programContainer = 'program';
export const collectorContainer = 'collector';
export const policyName = 'tutti-sandbox-no-network';
const inputFolder = '/run/tutti';
const inputFile = 'job';
/** Time a node may take to fetch the image and start, besides the program's own. */
const startAllowanceSeconds = 120;
/** The cluster removes a finished job after this time. */
const forgottenAfterSeconds = 300;
const temporaryBytes = 64 * 1024 * 1024;

/** The most bytes a secret of a cluster can hold. */
export const maxJobBytes = 1024 * 1024 - 16 * 1024;

/** Nothing in, nothing out, for every pod of ours in the namespace. */
export function networkPolicy(namespace: string): object {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: policyName, namespace, labels: ownLabel },
    spec: {
      podSelector: { matchLabels: ownLabel },
      policyTypes: ['Ingress', 'Egress'],
      ingress: [],
      egress: [],
    },
  };
}

export function jobSecret(request: PodRequest, namespace: string, input: Uint8Array): object {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: request.name, namespace, labels: ownLabel },
    type: 'Opaque',
    immutable: true,
    data: { [inputFile]: Buffer.from(input).toString('base64') },
  };
}

/**
 * The program is the pod's first container and its collector the second, because a cluster starts
 * the second when the first has ended: by then nothing else runs that could change the files.
 */
export function sandboxJob(request: PodRequest, settings: PodSettings): object {
  const { name, limits, uid } = request;
  const wallSeconds = Math.ceil(limits.wallMs / 1_000) + startAllowanceSeconds;
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, namespace: settings.namespace, labels: ownLabel },
    spec: {
      backoffLimit: 0,
      activeDeadlineSeconds: wallSeconds,
      ttlSecondsAfterFinished: forgottenAfterSeconds,
      template: {
        metadata: { labels: { ...ownLabel, 'job-name': name } },
        spec: {
          restartPolicy: 'Never',
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          hostNetwork: false,
          hostPID: false,
          hostIPC: false,
          hostUsers: false,
          hostname: 'sandbox',
          dnsPolicy: 'None',
          dnsConfig: { nameservers: ['127.0.0.1'] },
          terminationGracePeriodSeconds: 0,
          ...(settings.runtimeClass && { runtimeClassName: settings.runtimeClass }),
          securityContext: {
            runAsNonRoot: true,
            runAsUser: uid,
            runAsGroup: uid,
            fsGroup: uid,
            seccompProfile: { type: 'RuntimeDefault' },
          },
          volumes: volumesOf(request),
          initContainers: [container(request, programContainer, programCommand(request))],
          containers: [container(request, collectorContainer, request.collector ?? ['true'])],
        },
      },
    },
  };
}

function volumesOf({ name, limits }: PodRequest): object[] {
  const memory = (bytes: number): object => ({ medium: 'Memory', sizeLimit: String(bytes) });
  return [
    { name: 'work', emptyDir: memory(limits.diskBytes) },
    { name: 'tmp', emptyDir: memory(Math.min(limits.diskBytes, temporaryBytes)) },
    { name: 'input', secret: { secretName: name, defaultMode: 0o444 } },
  ];
}

function container(request: PodRequest, name: string, command: readonly string[]): object {
  const { limits } = request;
  const amounts = { cpu: String(limits.cpus), memory: String(limits.memoryBytes) };
  return {
    name,
    image: request.image,
    imagePullPolicy: 'IfNotPresent',
    command,
    workingDir: '/work',
    resources: { limits: amounts, requests: { cpu: '50m', memory: '64Mi' } },
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
    terminationMessagePolicy: 'File',
    volumeMounts: [
      { name: 'work', mountPath: '/work' },
      { name: 'tmp', mountPath: '/tmp' },
      { name: 'input', mountPath: inputFolder, readOnly: true },
    ],
  };
}

/**
 * A shell that sets the limits of each process, gives the boot its job, and leaves the program's exit
 * code and what it used where the cluster reports it: the container itself must end well, or no
 * collector runs. A program can write there too, but only about itself.
 */
function programCommand({ boot, limits, env }: PodRequest): string[] {
  const cpuSeconds = Math.ceil(limits.cpuMs / 1_000);
  const script = [
    `ulimit -c 0; ulimit -n ${limits.openFiles}; ulimit -t ${cpuSeconds}; ulimit -f ${Math.ceil(limits.diskBytes / 512)}`,
    `ulimit -u ${limits.pids} 2>/dev/null || ulimit -p ${limits.pids}`,
    `"$@" <${inputFolder}/${inputFile}`,
    'code=$?',
    'peak=$(cat /sys/fs/cgroup/memory.peak 2>/dev/null)',
    '{ echo "$code ${peak:-0}"; times; } >/dev/termination-log',
  ].join('\n');
  // Not the container's own environment: a cluster puts the address of its API server into that.
  const assignments = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  return ['sh', '-c', script, 'sandbox', 'env', '-i', ...assignments, ...boot];
}
