import { totalmem } from 'node:os';
import sizes from './model-sizes.json' with { type: 'json' };

/** What a core does in training, generously: measured with OpenBLAS; WebAssembly reaches a third. */
const flopsPerSecond = 50e9;
/** Forward and backward: two and four operations a weight and token; LoRA computes no gradients of the base. */
const flopsPerWeight = { full: 6, lora: 4 } as const;
const bytesPerWeight = 4;
/** Weights, gradients and two moments. */
const fullCopies = 4;
const loraShare = 0.01;
const charsPerToken = 4;
/** A job that takes longer is refused. */
const maxDays = 7;
const dayMs = 86_400_000;
const tokensKnown = new Map([['squad', 17_500_000]]);

export interface NamedEstimate {
  readonly parameters: number;
  readonly wallMs: number;
  readonly memoryBytes: number;
  readonly diskBytes: number;
  readonly arithmetic: readonly string[];
  readonly refusals: readonly string[];
}

/** Parameters of a model by its name: a known one, or one whose name says its size ("…-7b", "…-125m"). */
export function parametersByName(name: string): number | undefined {
  const plain = name.toLowerCase().replaceAll(/[\s_]+/g, '-');
  const known = sizes.find(({ pattern }) => new RegExp(pattern).test(plain));
  if (known) return known.parameters;
  const [, count, unit] = /(?:^|[-/])(\d+(?:\.\d+)?)(b|m)(?:$|[-.])/.exec(plain) ?? [];
  return count === undefined ? undefined : Number(count) * (unit === 'b' ? 1e9 : 1e6);
}

export interface NamedJob {
  readonly base: string;
  readonly dataset: string;
  readonly method: 'full' | 'lora';
  /** Characters of the training split, where the dataset is here. */
  readonly chars?: number | undefined;
  readonly epochs: number;
  readonly threads: number;
}

const giga = (value: number): string => (value / 1e9).toFixed(1);

/** What a training would take, from the name of a model that is not here. Undefined where the name says no size. */
export function estimateByName(job: NamedJob, memory = totalmem()): NamedEstimate | undefined {
  const parameters = parametersByName(job.base);
  if (parameters === undefined) return undefined;
  const tokens =
    (job.chars === undefined
      ? tokensKnown.get(job.dataset.toLowerCase())
      : job.chars / charsPerToken) ?? 1e6;
  const perWeight = flopsPerWeight[job.method];
  const flops = perWeight * parameters * tokens * job.epochs;
  const speed = flopsPerSecond * job.threads;
  const wallMs = (flops / speed) * 1_000;
  const copies = job.method === 'full' ? fullCopies : 1 + loraShare * (fullCopies - 1);
  const memoryBytes = parameters * bytesPerWeight * copies;
  const diskBytes = parameters * bytesPerWeight * 2;
  const days = wallMs / dayMs;
  const time = `${perWeight} × ${giga(parameters)}e9 weights × ${(tokens / 1e6).toFixed(1)}e6 tokens × ${job.epochs} = ${flops.toExponential(1)} operations; at ${speed / 1e9}e9 a second (${job.threads} cores) ${days.toFixed(1)} days`;
  const space = `${giga(parameters)}e9 weights × ${bytesPerWeight} bytes × ${copies.toFixed(2)} = ${giga(memoryBytes)} GB; this machine has ${giga(memory)} GB`;
  return {
    parameters,
    wallMs,
    memoryBytes,
    diskBytes,
    arithmetic: [`time: ${time}`, `memory: ${space}`],
    refusals: [
      ...(memoryBytes > memory ? [`it does not fit into memory: ${space}`] : []),
      ...(days > maxDays ? [`it would take ${days.toFixed(0)} days: ${time}`] : []),
    ],
  };
}
