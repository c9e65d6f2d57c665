import { z } from 'zod';
import type { Workflows } from '../../contract/run/index.ts';
import { defineTool, type DefinedTool } from '../define-tool.ts';

const over: readonly string[] = ['succeeded', 'failed', 'cancelled'];

/** The tool `cancel_task`: ends a run before its end. */
export function cancelTaskTool(workflows: Pick<Workflows, 'show' | 'cancel'>): DefinedTool {
  return defineTool({
    name: 'cancel_task',
    title: 'Cancel a run',
    description:
      'Cancels a run of a plan: nothing new starts, and running tools get the request to stop. What was done stays done. One that is over stays as it is.',
    input: z.strictObject({
      id: z.string().min(1).max(200).describe('Id of the run, which is the id of its task.'),
      reason: z.string().max(1_000).optional().describe('Why.'),
    }),
    output: z.object({
      id: z.string(),
      status: z.string().describe('Of the run, after this.'),
      wasOver: z.boolean().describe('True when there was nothing to cancel.'),
    }),
    annotations: {
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: true,
      openWorldHint: false,
    },
    examples: ['stop the run', 'cancel the workflow that hangs', 'abort the task'],
    run: async ({ id, reason }, { caller }) => {
      const { runId, status } = await workflows.show(caller, id);
      if (over.includes(status)) return { id: runId, status, wasOver: true };
      await workflows.cancel(caller, runId, reason);
      return { id: runId, status: (await workflows.show(caller, runId)).status, wasOver: false };
    },
    summarize: ({ id, status, wasOver }) =>
      wasOver ? `Run ${id} was over already: ${status}` : `Run ${id} is being cancelled: ${status}`,
  });
}
