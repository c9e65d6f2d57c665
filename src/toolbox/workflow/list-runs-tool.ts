import { z } from 'zod';
import { runStatuses, type Workflows } from '../../contract/run/index.ts';
import { defineTool, type DefinedTool } from '../define-tool.ts';
import { runSummarySchema } from './run-schema.ts';

const defaultLimit = 20;
const maxLimit = 200;

/** The tool `list_runs`: the latest runs. */
export function listRunsTool(workflows: Pick<Workflows, 'list'>): DefinedTool {
  return defineTool({
    name: 'list_runs',
    title: 'List runs',
    description:
      'Lists the latest runs of plans with their status, newest first; all or those of some statuses.',
    input: z.strictObject({
      status: z
        .union([z.enum(runStatuses), z.array(z.enum(runStatuses)).min(1)])
        .optional()
        .describe('Just runs of this status, or of one of these.'),
      limit: z
        .int()
        .min(1)
        .max(maxLimit)
        .default(defaultLimit)
        .describe('How many runs to list, newest first.'),
    }),
    output: z.object({ runs: z.array(runSummarySchema) }),
    annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    examples: [
      'which runs are there?',
      'is a workflow still running?',
      'show the plans that failed',
      'which runs wait for approval?',
    ],
    run: async ({ status, limit }, { caller }) => {
      const wanted = typeof status === 'string' ? [status] : status;
      const filter = wanted === undefined ? { limit } : { status: wanted, limit };
      const runs = await workflows.list(caller, filter);
      return { runs: runs.slice(0, limit).map((run) => ({ ...run })) };
    },
    summarize: ({ runs }) =>
      runs.length === 0
        ? 'No runs.'
        : runs
            .map(({ runId, status, name, goal, createdAt }) =>
              [runId, status, createdAt, name ?? goal ?? ''].join('  ').trim(),
            )
            .join('\n'),
  });
}
