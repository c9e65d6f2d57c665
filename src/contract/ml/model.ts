import { z } from 'zod';
import type { Caller } from '../caller/index.ts';
import { modelFormats, type ModelFiles } from './training.ts';

export const modelOrigins = ['trained', 'finetuned', 'quantized', 'imported'] as const;

export const metricSchema = z.object({
  value: z.number(),
  low: z
    .number()
    .nullable()
    .describe('Lower end of the 95 % interval; null where none was computed.'),
  high: z.number().nullable().describe('Upper end of the 95 % interval.'),
});

export type Metric = Readonly<z.infer<typeof metricSchema>>;

/** From which data, by which run, with what. Written once with its version. */
export const modelCardSchema = z.object({
  origin: z.enum(modelOrigins),
  parents: z.array(z.string()).describe('Models it was made of, as name@version.'),
  dataset: z
    .object({ id: z.string(), hash: z.string(), source: z.string(), rows: z.int() })
    .nullable(),
  run: z
    .object({ key: z.string(), resumed: z.int(), attempts: z.int() })
    .describe('Hash of everything it depends on, how often it was resumed, attempts it took.'),
  engine: z.object({ name: z.string(), version: z.string() }),
  code: z.string().describe('Version of Tutti, and the hash of the program that trained.'),
  config: z.record(z.string(), z.unknown()).describe('Every hyperparameter, defaults included.'),
  environment: z
    .record(z.string(), z.string())
    .describe('Platform and Node; `hash` is of the runtime and packages it was trained with.'),
  seed: z.int(),
  threads: z.int(),
  metrics: z.record(z.string(), metricSchema),
  usage: z.record(z.string(), z.number()).describe('Time, CPU time and memory it took.'),
  estimate: z.record(z.string(), z.number()).describe('What was estimated before.'),
  licences: z.array(z.string()).describe('What is known of the licences of its parents and data.'),
});

export type ModelCard = Readonly<z.infer<typeof modelCardSchema>>;

export const modelVersionSchema = z.object({
  name: z.string(),
  version: z.int(),
  format: z.enum(modelFormats),
  files: z.array(z.object({ name: z.string(), sha256: z.string(), bytes: z.int() })),
  card: modelCardSchema,
  createdAt: z.string(),
});

/** Immutable. */
export type ModelVersion = Readonly<z.infer<typeof modelVersionSchema>>;

export interface NewModelVersion {
  readonly name: string;
  readonly card: ModelCard;
  /** Copied into the store, and checked against their digests. */
  readonly files: ModelFiles;
}

export const aliasMoveSchema = z.object({
  name: z.string(),
  alias: z.string(),
  version: z.int(),
  previous: z.int().nullable().describe('Where it pointed before; null for a new one.'),
  reason: z.string(),
  at: z.string(),
});
export type AliasMove = Readonly<z.output<typeof aliasMoveSchema>>;

/**
 * Trained models of a caller. Versions are immutable and count from 1; aliases (`candidate`, `champion`) point to one
 * version, and each move of one is logged for good.
 */
export interface TrainedModels {
  /** The version that the same run made before, or a new one. */
  add(caller: Caller, model: NewModelVersion): Promise<ModelVersion>;
  /** By `name`, `name@3` or `name@champion`; a bare name is its latest version. Throws `ml.unknown_model`. */
  get(caller: Caller, reference: string): Promise<ModelVersion>;
  list(caller: Caller, limit: number): Promise<readonly ModelVersion[]>;
  /** Throws `ml.unknown_model` where there is no such version. */
  moveAlias(
    caller: Caller,
    move: Pick<AliasMove, 'name' | 'alias' | 'version' | 'reason'>,
  ): Promise<AliasMove>;
  /** Latest first. */
  aliasMoves(caller: Caller, name: string, limit: number): Promise<readonly AliasMove[]>;
  /** Lays the files out in a folder, checked against their digests. */
  layOut(caller: Caller, model: ModelVersion, folder: string): Promise<ModelFiles>;
}
