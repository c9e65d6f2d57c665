import { z } from 'zod';
import type { Hyperparameters } from '../../../contract/ml/index.ts';
import { TrainingConfigError } from '../errors.ts';
import type { MlParts } from '../ml-ports.ts';
import { loadedConfigSchema, readConfigFile } from './load-config-tool.ts';
import { type ConfigKind, parseConfig, type ReadConfig, readConfig } from './read-config.ts';

const value = z.union([z.number(), z.string(), z.boolean(), z.array(z.string())]);
const loaded = loadedConfigSchema
  .partial()
  .required({ frame: true })
  .extend({
    hyperparameters: z.record(z.string(), value).describe('By name.'),
    defaults: z.array(z.string()).default([]).describe('Hyperparameters that have their default.'),
  });

/** For tools that train. */
export const configField = z
  .union([z.string().min(1).max(4096), loaded])
  .optional()
  .describe(
    'A configuration (Axolotl, Hugging Face or LLaMA-Factory): its file, or what load_config gave. Other arguments win over it.',
  );

export interface Configurable {
  readonly config?: z.output<typeof configField>;
  readonly base?: string | undefined;
  readonly dataset?: string | undefined;
  readonly method?: 'full' | 'lora' | undefined;
  readonly name?: string | undefined;
  readonly seed?: number | undefined;
  readonly threads?: number | undefined;
  readonly hyperparameters: Readonly<Record<string, unknown>>;
}

export interface Settled {
  readonly base: string | undefined;
  readonly dataset: string | undefined;
  readonly method: 'full' | 'lora';
  readonly name: string | undefined;
  readonly seed: number;
  readonly threads: number | undefined;
  /** Of a dataset that is loaded for this. */
  readonly testShare: number | undefined;
  readonly hyperparameters: Hyperparameters;
}

const defaultSeed = 42;
const frameSchema = z.object({
  base: z.string().optional(),
  dataset: z.string().optional(),
  method: z.string().optional(),
  name: z.string().optional(),
  seed: z.coerce
    .number()
    .int()
    .min(0)
    .max(2 ** 31)
    .optional(),
  threads: z.coerce.number().int().min(1).max(256).optional(),
  test_share: z.coerce.number().min(0).max(0.9).optional(),
});

/** What was asked for: the arguments, then the configuration, then the defaults. Throws `ml.bad_config`. */
export async function settleRequest(
  parts: Pick<MlParts, 'roots'>,
  kind: ConfigKind,
  request: Configurable,
): Promise<Settled> {
  const config = await readGiven(parts, kind, request.config);
  const frame = frameSchema.safeParse(config.frame);
  if (!frame.success) throw new TrainingConfigError([z.prettifyError(frame.error)]);
  const asked = readConfig(kind, request.hyperparameters);
  const { base, dataset, method, name, seed, threads, test_share: testShare } = frame.data;
  return {
    base: request.base ?? base,
    dataset: request.dataset ?? dataset,
    method: request.method ?? methodOf(method),
    name: request.name ?? name,
    seed: request.seed ?? seed ?? defaultSeed,
    threads: request.threads ?? threads,
    testShare,
    hyperparameters: readConfig(kind, merge(config, asked)).hyperparameters,
  };
}

async function readGiven(
  { roots }: Pick<MlParts, 'roots'>,
  kind: ConfigKind,
  config: Configurable['config'],
): Promise<Pick<ReadConfig, 'frame' | 'hyperparameters' | 'defaults'>> {
  if (typeof config === 'string')
    return readConfig(kind, parseConfig(await readConfigFile(roots, config)));
  return config ?? { frame: {}, hyperparameters: {}, defaults: [] };
}

function merge(
  config: Pick<ReadConfig, 'hyperparameters' | 'defaults'>,
  asked: ReadConfig,
): Hyperparameters {
  const given = (from: Pick<ReadConfig, 'hyperparameters' | 'defaults'>): Hyperparameters =>
    Object.fromEntries(
      Object.entries(from.hyperparameters).filter(([name]) => !from.defaults.includes(name)),
    );
  const [own, wins] = [given(config), given(asked)];
  // Steps rule out epochs: a request for epochs overrides the steps of the file.
  const isByEpochs = 'num_train_epochs' in wins && !('max_steps' in wins);
  const { max_steps: _steps, ...withoutSteps } = own;
  return { ...(isByEpochs ? withoutSteps : own), ...wins };
}

/** Undefined is LoRA, as without a configuration. */
function methodOf(named: string | undefined): 'full' | 'lora' {
  const plain = named?.toLowerCase() ?? 'lora';
  if (plain === 'lora') return 'lora';
  if (plain === 'full' || plain === 'none' || plain === '') return 'full';
  const reason =
    plain === 'qlora' ? '4-bit training needs bitsandbytes and a GPU' : 'it is unknown';
  throw new TrainingConfigError([
    `the method "${named}" is not possible: ${reason}; lora and full are`,
  ]);
}

/** Throws `ml.bad_config` where neither the arguments nor the configuration have it. */
export function required(found: string | undefined, what: 'base' | 'dataset'): string {
  if (found !== undefined) return found;
  throw new TrainingConfigError([`${what} is neither an argument nor in the configuration`]);
}
