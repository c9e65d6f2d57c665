import { z } from 'zod';
import type { Artifacts } from '../../contract/artifact/index.ts';
import type { Workflows } from '../../contract/run/index.ts';
import { defineTool, type DefinedTool } from '../define-tool.ts';
import { runSchema } from './run-schema.ts';
import { showRun, summarizeRun } from './show-run.ts';

export interface GetRunParts {
  readonly workflows: Pick<Workflows, 'show'>;
  readonly artifacts: Pick<Artifacts, 'put'>;
}

/** The tool `get_run`: one run as it stands. */
export function getRunTool({ workflows, artifacts }: GetRunParts): DefinedTool {
  return defineTool({
    name: 'get_run',
    title: 'Show a run',
    description:
      'Shows one run: the status, output and error of each step, the output of the run, and what it waits for with the command that gives it. ' +
      'Big outputs come as an id for read_artifact.',
    input: z.strictObject({
      run_id: z.string().min(1).max(200).describe('Its id, or a beginning only it has.'),
      offset: z.int().min(0).default(0).describe('The first step to show, for long runs.'),
    }),
    output: runSchema,
    annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    examples: [
      'how far is the run?',
      'what did the steps of the last workflow return?',
      'why did the run fail?',
      'what is the run waiting for?',
    ],
    run: async ({ run_id, offset }, { caller }) =>
      showRun(await workflows.show(caller, run_id), { artifacts, caller, offset }),
    summarize: summarizeRun,
  });
}
