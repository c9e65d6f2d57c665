import { z } from 'zod';
import { runStatuses } from '../../contract/run/index.ts';

const errorSchema = z.object({
  code: z.string(),
  message: z.string(),
  details: z.record(z.string(), z.unknown()),
});

const storedSchema = z.object({
  id: z.string().describe('What read_artifact takes.'),
  bytes: z.int(),
  mediaType: z.string(),
  preview: z.string(),
});

const stepSchema = z.object({
  status: z.enum([
    'pending',
    'running',
    'waiting',
    'succeeded',
    'failed',
    'skipped',
    'cancelled',
    'unknown',
  ]),
  output: z.unknown().optional(),
  stored: storedSchema.optional().describe('The output where it is too big to be shown.'),
  text: z.string().optional().describe('What the tool says about its result, cut.'),
  error: errorSchema.optional(),
  startedAt: z.string().nullable(),
  endedAt: z.string().nullable(),
  attempts: z.int(),
  tool: z.string().optional(),
  items: z.object({ total: z.int(), done: z.int() }).optional(),
  progress: z
    .object({ progress: z.number(), total: z.number().optional(), message: z.string().optional() })
    .optional(),
  isCached: z.boolean().optional(),
});

/** The members of `Waiting`, whose comments in the contract say what each means. */
const waitingSchema = z.object({
  kind: z.enum(['approval', 'signal', 'resolve', 'repair']),
  step: z.string(),
  approvalId: z.string().optional(),
  message: z.string().optional(),
  preview: z.string().optional().describe('What the call would do, such as a diff.'),
  tool: z.string().nullable().optional(),
  arguments: z.unknown().optional(),
  isPartial: z.literal(true).optional().describe('Large values are named by `stored`.'),
  expiresAt: z.string().optional(),
  signal: z.string().optional(),
  error: errorSchema.optional(),
  commands: z.array(z.string()).describe('What a person types to give it; no tool can.'),
});

const summaryFields = {
  runId: z.string(),
  name: z.string().nullable(),
  goal: z.string().nullable(),
  status: z.enum(runStatuses),
  engine: z.enum(['embedded', 'restate']),
  createdAt: z.string(),
  startedAt: z.string().nullable(),
  endedAt: z.string().nullable(),
  forkedFrom: z.string().nullable(),
  isInterrupted: z
    .literal(true)
    .optional()
    .describe('It is running, and no process executes it any more.'),
};

export const runSummarySchema = z.object(summaryFields);

/** A run as a tool shows it. */
export const runSchema = z.object({
  ...summaryFields,
  steps: z.record(z.string(), stepSchema),
  totalSteps: z.int(),
  doneSteps: z.int(),
  nextOffset: z.int().optional().describe('Where get_run goes on; absent when all are shown.'),
  output: z.unknown().optional(),
  stored: storedSchema.optional().describe('The output where it is too big to be shown.'),
  error: errorSchema.optional(),
  waitingFor: z.array(waitingSchema),
  traceId: z.string().nullable(),
});

export type ShownRun = z.output<typeof runSchema>;
