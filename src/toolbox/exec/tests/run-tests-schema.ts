import { z } from 'zod';
import { filesField, runFields, runResultSchema } from '../run-schema.ts';
import { frameworkNames } from './framework.ts';
import { testStatuses } from './test-report.ts';

export const runTestsInput = z
  .strictObject({
    path: z
      .string()
      .min(1)
      .max(4096)
      .optional()
      .describe(
        'The folder of a project inside the allowed roots, or a file in it. It is copied; nothing in it changes.',
      ),
    files: filesField
      .optional()
      .describe('Texts by their path: a project of its own, or in place of files of `path`.'),
    framework: z
      .enum(['auto', ...frameworkNames])
      .default('auto')
      .describe('`auto` takes the one most test files are of.'),
    coverage: z.boolean().default(true).describe('Whether to measure which lines the tests run.'),
    filter: z
      .string()
      .min(1)
      .max(1_000)
      .regex(/^[^\0]*$/, 'text without NUL characters')
      .optional()
      .describe(
        'Which tests to run, as the framework takes it: -k of pytest and unittest, -run of go, a pattern of names for node and vitest, a part of the name for cargo and JUnit.',
      ),
    separate: z
      .strictObject({
        wallMs: z.int().positive().max(600_000).describe('Longest time for one folder.'),
      })
      .optional()
      .describe(
        'Each folder at the top of `files` is a project of its own, tested in a process of its own for so long at most: pytest, unittest, node and go.',
      ),
    env: runFields.env,
    limits: runFields.limits,
  })
  .refine((input) => input.path !== undefined || Object.keys(input.files ?? {}).length > 0, {
    message: 'give "path" (a folder) or "files" (texts by path)',
  });

export type RunTestsInput = z.output<typeof runTestsInput>;

export const runTestsOutput = z.object({
  ok: z.boolean().describe('A whole report came, a test passed, none failed.'),
  problem: z.string().optional().describe('Why the run counts as failed, beside failed tests.'),
  framework: z.enum(frameworkNames),
  passed: z.int(),
  failed: z.int().describe('Those with status `failed` and those with `error`.'),
  skipped: z.int(),
  tests: z.array(
    z.object({
      name: z.string(),
      file: z
        .string()
        .describe('Relative to the project; empty where the framework does not tell.'),
      status: z.enum(testStatuses),
      durationMs: z.number().nullable(),
      message: z.string().optional().describe('The assertion that failed, or why it was skipped.'),
    }),
  ),
  coverage: z
    .object({
      percent: z.number(),
      files: z.array(
        z.object({
          path: z.string(),
          percent: z.number(),
          missing: z.array(z.int()).describe('Lines no test ran.'),
        }),
      ),
    })
    .nullable(),
  coverageNote: z.string().optional().describe('Who measured it, or why nobody did.'),
  durationMs: z.number(),
  ...runResultSchema.omit({ files: true, observations: true }).shape,
  notes: z.array(z.string()).describe('What was left out or chosen.'),
});

export type TestsResult = z.input<typeof runTestsOutput>;
