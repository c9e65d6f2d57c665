import { type DeepReadonly, pluralize } from '../../kernel/index.ts';
import { z } from 'zod';
import type { Agent, AgentEvent, AskOutcome, AskRequest } from '../../contract/agent/index.ts';
import { runStatuses } from '../../contract/run/index.ts';
import type { CallContext } from '../../contract/server/index.ts';
import { defineTool, type DefinedTool } from '../define-tool.ts';
import { createRunProgress } from '../workflow/follow-run.ts';
import { contextField } from '../workflow/run-plan-tool.ts';
import texts from './tools.json' with { type: 'json' };

const maxAttachments = 20;

const askInput = z.strictObject({
  message: z.string().min(1).max(200_000).describe('What is wanted, in plain words.'),
  session: z
    .string()
    .max(100)
    .optional()
    .describe('The conversation this belongs to: an id from an earlier answer, or "last".'),
  attachments: z
    .array(
      z.strictObject({
        name: z.string().min(1).max(1_000).describe('A path or a title.'),
        content: z.string().max(400_000).describe('The text itself.'),
        language: z.string().max(50).optional().describe('Its programming language, if known.'),
      }),
    )
    .max(maxAttachments)
    .optional()
    .describe('Texts the message is about.'),
  context: contextField.describe(
    'A context to answer with. It is data: nothing in it changes what may be called.',
  ),
  plan_only: z.boolean().default(false).describe('Gives the plan and runs nothing.'),
  accept_preview: z
    .boolean()
    .default(false)
    .describe('Runs the plan without showing it first. Effects still ask a person for approval.'),
});

const plan = z.record(z.string(), z.unknown());

const askOutput = z.object({
  kind: z.enum(['plan', 'question', 'refusal', 'answer']),
  session: z.string().describe('Name it in the next message to go on with this conversation.'),
  confidence: z.number().min(0).max(1),
  model: z.string().nullable().describe('The model that took part; null when none did.'),
  answer: z.string().optional(),
  questions: z.array(z.string()).optional().describe('Answer them with the next message.'),
  reason: z.string().optional().describe('Why it was refused.'),
  preview: z.string().optional().describe('What the plan would do; answer yes to run it.'),
  plan: plan.optional(),
  candidates: z
    .array(z.object({ plan, why: z.string(), confidence: z.number() }))
    .optional()
    .describe('What the message may mean, best first; answer with the number of one.'),
  not_understood: z
    .array(z.string())
    .optional()
    .describe('Words of the message that the plan does not account for.'),
  made_by: z.enum(['model', 'planner']).optional(),
  run_id: z.string().optional(),
  run_status: z.enum(runStatuses).optional(),
});
type Shown = DeepReadonly<z.input<typeof askOutput>>;

/** The tool `ask`: the whole of the agent in one call. */
export function askTool(agent: Agent): DefinedTool {
  return defineTool({
    ...texts.ask,
    input: askInput,
    output: askOutput,
    run: (input, context) => ask(agent, input, context),
    summarize,
  });
}

async function ask(
  agent: Agent,
  {
    message,
    session,
    attachments,
    context: contextRef,
    plan_only: planOnly,
    accept_preview: acceptPreview,
  }: z.output<typeof askInput>,
  context: CallContext,
): Promise<Shown> {
  const request: AskRequest = {
    caller: context.caller,
    message,
    planOnly,
    acceptPreview,
    ...(session !== undefined && { session }),
    ...(contextRef !== undefined && { context: contextRef }),
    ...(attachments && {
      attachments: attachments.map(({ name, content, language }) => ({
        name,
        content,
        ...(language !== undefined && { language }),
      })),
    }),
  };
  const outcome = await agent.ask(request, {
    signal: context.signal,
    onEvent: tellProgress(context),
    ...(context.client && { client: context.client }),
  });
  if ('runId' in outcome) context.annotate?.({ 'tutti.run.id': outcome.runId });
  return showOutcome(outcome);
}

/** Progress that a client gets while the agent works; numbers only grow, as MCP asks. */
function tellProgress({ progress }: CallContext): (event: AgentEvent) => void {
  let count = 0;
  const say = (message: string): void => progress({ progress: (count += 1), message });
  const tellRun = createRunProgress(({ message = '' }) => say(message));
  return (event) => {
    switch (event.kind) {
      case 'intent':
        return say(event.intent.primary_goal);
      case 'plan':
        return say(`plan of ${pluralize(event.proposal.plan.steps.length, 'step')}`);
      case 'run':
        return tellRun(event.run);
      case 'notice':
        return say(event.text);
      case 'session':
      case 'text':
      case 'restart':
        return undefined;
    }
  };
}

function showOutcome(outcome: AskOutcome): Shown {
  const { sessionId: session, confidence, model } = outcome;
  const known = { session, confidence, model };
  switch (outcome.kind) {
    case 'plan': {
      const { preview, madeBy: made_by, notUnderstood, candidates } = outcome;
      return {
        ...known,
        kind: 'plan',
        preview,
        made_by,
        plan: { ...outcome.plan },
        candidates,
        ...(notUnderstood && { not_understood: notUnderstood }),
      };
    }
    case 'question': {
      const { runId, candidates, questions } = outcome;
      return {
        ...known,
        kind: 'question',
        questions,
        candidates,
        ...(runId !== undefined && { run_id: runId }),
      };
    }
    case 'refusal':
      return { ...known, kind: 'refusal', reason: outcome.reason };
    case 'answer': {
      const { answer, runId, runStatus } = outcome;
      return {
        ...known,
        kind: 'answer',
        answer,
        ...(outcome.plan && { plan: { ...outcome.plan } }),
        ...(runId !== undefined && { run_id: runId }),
        ...(runStatus !== undefined && { run_status: runStatus }),
      };
    }
  }
}

function summarize(shown: z.output<typeof askOutput>): string {
  const text = shown.answer ?? shown.preview ?? shown.reason ?? askedText(shown);
  return `${text}\n\n(session ${shown.session})`;
}

/** The questions, and the plans one of which may be meant, by the numbers that choose them. */
function askedText({ questions = [], candidates = [] }: z.output<typeof askOutput>): string {
  const listed = candidates.map((other, index) => {
    const { steps } = z
      .object({ steps: z.array(z.object({ tool: z.string() })) })
      .parse(other.plan);
    return `${index + 1}. ${steps.map(({ tool }) => tool).join(' → ')}`;
  });
  return [...questions, ...listed].join('\n');
}
