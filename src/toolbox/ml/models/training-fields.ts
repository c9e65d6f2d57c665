import { z } from 'zod';
import { metricSchema, modelVersionSchema } from '../../../contract/ml/index.ts';
import type { DeepReadonly } from '../../../kernel/index.ts';

/** Fields that several tools take. */
export const datasetField = z
  .string()
  .min(1)
  .max(4096)
  .describe(
    'The dataset: the id that load_dataset gives, or a file, which is loaded with its defaults.',
  );
export const modelField = z
  .string()
  .min(1)
  .max(4096)
  .describe('A model: name, name@3 or name@champion in the store, or a folder of the project.');
export const nameField = z
  .string()
  .regex(/^[a-z0-9][\w.-]{0,79}$/i, 'must be letters, digits, dots and dashes')
  .describe('Name of the model in the store.');
export const seedField = z
  .int()
  .min(0)
  .max(2 ** 31)
  .optional()
  .describe('One seed gives one result; 42 when not given.');
export const methodField = z
  .enum(['lora', 'full'])
  .optional()
  .describe('LoRA, when not given, trains a small part of the weights.');
export const engineField = z
  .string()
  .max(40)
  .optional()
  .describe('Engine to use: embedded, python or gguf; the first that can when not given.');
export const hyperparametersField = z
  .record(z.string(), z.union([z.number(), z.string(), z.boolean(), z.array(z.string())]))
  .default({})
  .describe('Hyperparameters by their usual names; load_config shows all with their defaults.');

export const estimateSchema = z.object({
  engine: z.string(),
  steps: z.number(),
  parameters: z.number(),
  trainable_parameters: z.number(),
  wall_ms: z.number(),
  memory_bytes: z.number(),
  disk_bytes: z.number(),
  arithmetic: z.array(z.string()).describe('How time, memory and disk were computed.'),
  refusals: z.array(z.string()).describe('Why it cannot be done here; empty when it can.'),
});

export const trainedSchema = z.object({
  model: z.string().describe('The new version, as name@version.'),
  is_reused: z.boolean().describe('The same job had a result already.'),
  resumed: z.int().describe('How often it was continued from a checkpoint.'),
  attempts: z.array(z.string()).describe('Failed attempts and the cure that was tried.'),
  losses: z
    .array(z.object({ step: z.number(), loss: z.number() }))
    .describe('The course of the loss, thinned.'),
  metrics: z.record(z.string(), metricSchema),
  estimate: estimateSchema,
  version: modelVersionSchema,
});

export type Trained = DeepReadonly<z.output<typeof trainedSchema>>;
