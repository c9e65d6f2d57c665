import { join, resolve } from 'node:path';
import { z } from 'zod';
import { hyperparametersFor } from '../../../contract/ml/index.ts';
import { readRegularFile, UnusableFileError } from '../../../kernel/index.ts';
import { defineTool, type DefinedTool } from '../../define-tool.ts';
import { TrainingConfigError } from '../errors.ts';
import type { MlParts } from '../ml-ports.ts';
import { parseConfig, readConfig } from './read-config.ts';
import texts from '../tools.json' with { type: 'json' };

const maxConfigBytes = 1024 * 1024;

/** What `load_config` gives, which the tools that train take as it is. */
export const loadedConfigSchema = z.strictObject({
  frame: z
    .record(z.string(), z.union([z.string(), z.number()]))
    .describe('Base, dataset, method, seed and name, where they are given.'),
  hyperparameters: z
    .record(z.string(), z.unknown())
    .describe('All of them, for finetune or train.'),
  understood: z
    .record(z.string(), z.string())
    .describe('Keys as given, by the name they have here.'),
  defaults: z.array(z.string()).describe('Hyperparameters that have their default.'),
  ignored: z
    .array(
      z.strictObject({
        key: z.string().describe('As it was given.'),
        reason: z.string().describe('Why it has no effect.'),
      }),
    )
    .describe('Keys without effect.'),
  meanings: z.record(z.string(), z.string()).describe('What each hyperparameter is.'),
});

/** The tool `load_config`. */
export function loadConfigTool(parts: Pick<MlParts, 'roots'>): DefinedTool {
  return defineTool({
    ...texts.load_config,
    input: z.strictObject({
      path: z.string().min(1).max(4096).optional().describe('The file, inside the project.'),
      text: z
        .string()
        .max(maxConfigBytes)
        .optional()
        .describe('The configuration itself, instead of a file.'),
      kind: z
        .enum(['finetune', 'train', 'evaluate', 'predict'])
        .default('finetune')
        .describe('What it configures.'),
      algorithm: z.enum(['linear', 'boosted']).default('linear').describe('Of train.'),
    }),
    output: loadedConfigSchema,
    run: async ({ path, text, ...kind }) => {
      const given = path === undefined ? (text ?? '{}') : await readConfigFile(parts.roots, path);
      const config = readConfig(kind, parseConfig(given));
      const known = Object.entries(hyperparametersFor(kind));
      const meanings = Object.fromEntries(
        known.map(([name, { description }]) => [name, description]),
      );
      return { ...config, meanings };
    },
    summarize: ({ frame, hyperparameters, defaults, ignored }) =>
      [
        ...Object.entries(frame).map(([key, value]) => `${key}: ${value}`),
        ...Object.entries(hyperparameters).map(
          ([key, value]) =>
            `${key}: ${JSON.stringify(value)}${defaults.includes(key) ? '  (default)' : ''}`,
        ),
        ...ignored.map(({ key, reason }) => `not used: ${key} (${reason})`),
      ].join('\n'),
  });
}

/** Inside the roots only. */
export async function readConfigFile(roots: readonly string[], path: string): Promise<string> {
  let reason = 'there is no such file';
  for (const root of roots) {
    try {
      const bytes = await readRegularFile(resolve(join(root), path.replace(/^@/, '')), {
        maxBytes: maxConfigBytes,
        inside: roots,
      });
      return bytes.toString('utf8');
    } catch (error) {
      if (!(error instanceof UnusableFileError)) throw error;
      reason = error.message;
    }
  }
  throw new TrainingConfigError([`${path}: ${reason}`]);
}
