import { z } from 'zod';
import type { Artifacts } from '../../contract/artifact/index.ts';
import {
  type Workflows,
  shownRunSchema,
  runStatuses,
  runSummarySchema,
} from '../../contract/run/index.ts';
import { defineTool, type DefinedTool } from '../define-tool.ts';
import { showRun, summarizeRun } from './show-run.ts';
import texts from './tools.json' with { type: 'json' };

interface GetRunParts {
  readonly workflows: Pick<Workflows, 'show'>;
  readonly artifacts: Pick<Artifacts, 'put'>;
}

/** The tool `get_run`: one run as it stands. */
export function getRunTool({ workflows, artifacts }: GetRunParts): DefinedTool {
  return defineTool({
    ...texts.get_run,
    input: z.strictObject({
      run_id: z.string().min(1).max(200).describe('Its id, or a beginning only it has.'),
      offset: z.int().min(0).default(0).describe('The first step to show, for long runs.'),
    }),
    output: shownRunSchema,
    run: async ({ run_id, offset }, { caller }) =>
      showRun(await workflows.show(caller, run_id), { artifacts, caller, offset }),
    summarize: summarizeRun,
  });
}

const defaultLimit = 20;
const maxLimit = 200;

/** The tool `list_runs`: the latest runs. */
export function listRunsTool(workflows: Pick<Workflows, 'list'>): DefinedTool {
  return defineTool({
    ...texts.list_runs,
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
    run: async ({ status, limit }, { caller }) => {
      const wanted = typeof status === 'string' ? [status] : status;
      const filter = wanted === undefined ? { limit } : { status: wanted, limit };
      const runs = await workflows.list(caller, filter);
      return { runs: runs.slice(0, limit) };
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
