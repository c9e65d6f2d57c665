import { z } from 'zod';
import {
  delegationResultSchema,
  shownAgentSchema,
  type Agents,
  type DelegationResult,
} from '../../contract/agents/index.ts';
import { errorMetaKey, reconcileMetaKey, type ToolResult } from '../../contract/tool/index.ts';
import { pluralize, reportError } from '../../kernel/index.ts';
import { defineTool, type DefinedTool } from '../define-tool.ts';
import { TaskNotDoneError } from '../errors.ts';
import texts from './tools.json' with { type: 'json' };

const delegateInput = z.strictObject({
  agent: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .describe('An agent by its name; or give "capability".'),
  capability: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .describe('What is to be done, as noun.verb: the best agent for it is chosen.'),
  version: z.string().min(1).max(60).optional().describe('A version of the agent.'),
  task: z.string().min(1).max(20_000).describe('What the agent is to do.'),
  inputs: z
    .record(z.string(), z.json())
    .default({})
    .describe("Values for the agent's procedure, by name, such as path."),
  context: z.string().min(1).max(200).optional().describe('A context that the agent gets.'),
});

/** The tools by which other agents do tasks. */
export function delegateTools(agents: Pick<Agents, 'delegate' | 'list'>): readonly DefinedTool[] {
  return [delegateTool(agents), listTool(agents)];
}

function delegateTool(agents: Pick<Agents, 'delegate'>): DefinedTool {
  const tool = defineTool({
    ...texts.delegate,
    input: delegateInput,
    output: delegationResultSchema,
    run: ({ agent, capability, version, context: contextRef, ...request }, context) =>
      agents.delegate(
        {
          ...request,
          ...(agent !== undefined && { agent }),
          ...(capability !== undefined && { capability }),
          ...(version !== undefined && { version }),
          ...(contextRef !== undefined && { context: contextRef }),
        },
        context,
      ),
    summarize: (result) => [headline(result), ...findingLines(result)].join('\n'),
  });
  return {
    name: tool.name,
    declare() {
      const declared = tool.declare();
      // The same call of a step, sent again after a crash, goes on with the run that it began.
      return { ...declared, _meta: { ...declared._meta, [reconcileMetaKey]: { repeat: true } } };
    },
    call: async (args, context) => markFailure(await tool.call(args, context)),
  };
}

function headline({ agent, version, verdict, summary }: DelegationResult): string {
  return `${agent}@${version}: ${verdict}. ${summary}`;
}

/** The first findings of each tool, and where the rest is. */
function findingLines({ findings, run_id: runId }: DelegationResult): readonly string[] {
  return findings.flatMap(({ top, count }) => {
    const more = count - top.length;
    const rest = more > 0 ? [`  … ${more} more: "tutti runs show ${runId}"`] : [];
    return [...top.map((finding) => `  ${finding}`), ...rest];
  });
}

const unsuccessful: readonly DelegationResult['verdict'][] = ['failed', 'refused', 'cancelled'];

/** A task that was not done is the failed result of the call that wanted it, with all that is known. */
function markFailure(result: ToolResult): ToolResult {
  const { data } = delegationResultSchema.safeParse(result.structuredContent);
  if (!data || !unsuccessful.includes(data.verdict)) return result;
  const { agent, verdict, summary, run_id: runId } = data;
  const failure = new TaskNotDoneError(agent ?? '', { verdict, summary, runId });
  return {
    ...result,
    isError: true,
    _meta: { ...result._meta, [errorMetaKey]: reportError(failure) },
  };
}

function listTool(agents: Pick<Agents, 'list'>): DefinedTool {
  return defineTool({
    ...texts.list_agents,
    input: z.strictObject({}),
    output: z.object({
      agents: z.array(shownAgentSchema),
      problems: z.array(z.object({ file: z.string(), line: z.int(), message: z.string() })),
    }),
    run: (_input, { caller }) => agents.list(caller),
    summarize: ({ agents: listed, problems }) =>
      [
        ...listed.map(
          ({ name, version, state, capabilities }) =>
            `${name}@${version} ${state}: ${capabilities.join(', ')}`,
        ),
        ...(problems.length > 0
          ? [`${pluralize(problems.length, 'problem')} with agent files`]
          : []),
      ].join('\n'),
  });
}
