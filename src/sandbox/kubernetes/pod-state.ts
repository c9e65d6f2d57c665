import { z } from 'zod';
import { collectorContainer, programContainer } from './manifests.ts';

const terminated = z.looseObject({
  exitCode: z.number(),
  reason: z.string().default(''),
  message: z.string().default(''),
  startedAt: z.string().nullish(),
  finishedAt: z.string().nullish(),
});

const waiting = z.looseObject({ reason: z.string().default(''), message: z.string().default('') });

const containerStatus = z.looseObject({
  name: z.string(),
  state: z
    .looseObject({
      waiting: waiting.optional(),
      running: z.looseObject({}).optional(),
      terminated: terminated.optional(),
    })
    .default({}),
});

const podSchema = z.looseObject({
  metadata: z.looseObject({ name: z.string() }),
  status: z.looseObject({
    phase: z.string().default('Pending'),
    reason: z.string().default(''),
    message: z.string().default(''),
    initContainerStatuses: z.array(containerStatus).default([]),
    containerStatuses: z.array(containerStatus).default([]),
  }),
});

export const podListSchema = z.looseObject({ items: z.array(podSchema) });

export type Pod = z.infer<typeof podSchema>;
type ContainerState = z.infer<typeof containerStatus>['state'];

export function programState({ status }: Pod): ContainerState {
  return stateOf(status.initContainerStatuses, programContainer);
}

export function collectorState({ status }: Pod): ContainerState {
  return stateOf(status.containerStatuses, collectorContainer);
}

function stateOf(
  statuses: readonly z.infer<typeof containerStatus>[],
  name: string,
): ContainerState {
  return statuses.find((status) => status.name === name)?.state ?? {};
}

/** What a cluster says of a container that will never start, whatever one waits. */
const hopeless = new Set([
  'ErrImagePull',
  'ImagePullBackOff',
  'InvalidImageName',
  'ErrImageNeverPull',
  'CreateContainerConfigError',
  'CreateContainerError',
  'RunContainerError',
]);

/** Why the program will not start; null while it still may. */
export function whyNeverStarted(pod: Pod): string | null {
  const state = programState(pod);
  if (state.running || state.terminated) return null;
  if (state.waiting && hopeless.has(state.waiting.reason)) {
    return `${state.waiting.reason} ${state.waiting.message}`.trim();
  }
  if (pod.status.phase !== 'Failed') return null;
  return `${pod.status.reason} ${pod.status.message}`.trim() || 'the pod failed';
}

/** The program's end as far as the cluster knows it. */
export interface ProgramEnd {
  readonly exitCode: number;
  readonly reason: 'memory' | 'disk' | 'timeout' | 'cpu' | null;
  readonly cpuMs: number;
  readonly peakMemoryBytes: number;
}

const outOfCpuExitCode = 128 + 24;

/** Null while it runs. */
export function programEnd(pod: Pod): ProgramEnd | null {
  const { terminated } = programState(pod);
  const { reason: podReason, message: podMessage } = pod.status;
  if (!terminated && pod.status.phase !== 'Failed') return null;
  const told = /^(\d{1,3}) (\d{1,19})$/m.exec(terminated?.message ?? '');
  const exitCode = told ? Number(told[1]) : (terminated?.exitCode ?? 137);
  return {
    exitCode,
    reason: reasonOf({ podReason, podMessage, exitCode, reason: terminated?.reason ?? '' }),
    cpuMs: cpuMsOf(terminated?.message ?? ''),
    peakMemoryBytes: Number(told?.[2] ?? 0),
  };
}

interface Ending {
  readonly podReason: string;
  readonly podMessage: string;
  readonly reason: string;
  readonly exitCode: number;
}

function reasonOf({ podReason, podMessage, reason, exitCode }: Ending): ProgramEnd['reason'] {
  if (reason === 'OOMKilled') return 'memory';
  if (podReason === 'DeadlineExceeded') return 'timeout';
  if (podReason === 'Evicted') return /memory/i.test(podMessage) ? 'memory' : 'disk';
  return exitCode === outOfCpuExitCode ? 'cpu' : null;
}

/** The second line of `times`: user and system time of the shell's children, as `0m1.234s 0m0.050s`. */
function cpuMsOf(message: string): number {
  const line = message.trim().split('\n').at(-1) ?? '';
  let total = 0;
  for (const [, minutes, seconds] of line.matchAll(/(\d{1,6})m(\d{1,2}(?:\.\d{1,6})?)s/g)) {
    total += (Number(minutes) * 60 + Number(seconds)) * 1_000;
  }
  return Math.round(total);
}
