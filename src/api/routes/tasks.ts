import { z } from 'zod';
import type { AskRequest } from '../../contract/agent/index.ts';
import type { Caller } from '../../contract/caller/index.ts';
import { planSchema } from '../../contract/plan/index.ts';
import { runStatuses } from '../../contract/run/index.ts';
import type { DeepReadonly } from '../../kernel/index.ts';
import { type ApiCall, type ApiRoute, byId, routesOf } from '../define-route.ts';
import { InvalidRequestError } from '../errors.ts';
import type { ApiPorts } from '../ports.ts';
import { planBody, sourceOf } from './plans.ts';
import { startKey } from './runs.ts';

const { post } = routesOf('Tasks');
const maxAttachments = 20;

export const messageFields = {
  message: z.string().min(1).max(200_000).describe('What is wanted, in plain words.'),
  attachments: z
    .array(
      z.strictObject({
        name: z.string().min(1).max(1_000),
        content: z.string().max(400_000),
        language: z.string().max(50).optional(),
      }),
    )
    .max(maxAttachments)
    .optional()
    .describe('Texts the message is about.'),
  context: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe('A context to answer with, or whose text is the input `context` of the plan.'),
  planOnly: z.boolean().optional().describe('Gives the plan and runs nothing.'),
  acceptPreview: z
    .boolean()
    .optional()
    .describe('Runs the plan without showing it first. Effects still ask a person for approval.'),
};

export const sessionField = z
  .string()
  .min(1)
  .max(100)
  .optional()
  .describe('The session it belongs to: an id, or `last`; a new one when not given.');

const messageBody = z.strictObject(messageFields);
type Message = z.output<typeof messageBody>;

const taskBody = z.strictObject({
  ...messageFields,
  message: messageFields.message.optional(),
  session: sessionField,
  plan: planBody.optional().describe('A plan to run, instead of a message.'),
  input: z.record(z.string(), z.json()).optional().describe('Values for the inputs of the plan.'),
});

const candidate = z.object({ plan: planSchema, why: z.string(), confidence: z.number() });

const outcomeSchema = z.object({
  kind: z.enum(['plan', 'question', 'refusal', 'answer', 'run']),
  sessionId: z.string().optional(),
  confidence: z.number().optional(),
  model: z.string().nullable().optional().describe('Null when no model took part.'),
  answer: z.string().optional(),
  questions: z.array(z.string()).optional().describe('Answer them with the next message.'),
  reason: z.string().optional().describe('Why it was refused.'),
  preview: z.string().optional().describe('What the plan would do.'),
  plan: planSchema.optional(),
  candidates: z.array(candidate).optional(),
  notUnderstood: z.array(z.string()).optional(),
  madeBy: z.enum(['model', 'planner']).optional(),
  runId: z.string().optional(),
  runStatus: z.enum(runStatuses).optional(),
});
type Outcome = DeepReadonly<z.input<typeof outcomeSchema>>;

const askDescription =
  'Answers when the agent has answered, asked back or shown a plan, which may take minutes. Disconnecting cancels it.';

export const taskRoutes: readonly ApiRoute[] = [
  post('/tasks', {
    summary: 'Submit a request: a message to the agent, or a plan to run',
    description: askDescription,
    permission: 'tasks.submit',
    body: taskBody,
    answer: outcomeSchema,
    async handle(call, ports): Promise<Outcome> {
      const { plan, input = {}, message } = call.body;
      if (plan !== undefined && message === undefined) {
        const { runId } = await ports.workflows.start(call.caller, {
          source: sourceOf(plan),
          input,
          ...(call.body.context !== undefined && { context: call.body.context }),
          meta: call.meta,
          ...(call.idempotencyKey !== undefined && {
            idempotencyKey: startKey(call.idempotencyKey, call.body),
          }),
        });
        return { kind: 'run', runId, runStatus: 'queued' };
      }
      if (message === undefined || plan !== undefined) throw eitherOne();
      return ask(call, ports, { ...call.body, message });
    },
  }),
  post('/sessions/{id}/messages', {
    summary: 'Continue a conversation',
    description: askDescription,
    permission: 'sessions.write',
    params: byId,
    body: messageBody,
    answer: outcomeSchema,
    handle: (call, ports) => ask(call, ports, { ...call.body, session: call.params.id }),
  }),
];

function eitherOne(): InvalidRequestError {
  const message = 'has either a "message" or a "plan"';
  return new InvalidRequestError([{ in: 'body', path: '', message }]);
}

type AskCall = Pick<ApiCall<unknown, unknown, unknown>, 'caller' | 'signal'>;

async function ask(
  { caller, signal }: AskCall,
  { agent }: ApiPorts,
  wanted: WantedMessage,
): Promise<Outcome> {
  return agent.ask(askRequest(caller, wanted), { signal });
}

type WantedMessage = Message & { readonly session?: string | undefined };

export function askRequest(
  caller: Caller,
  { message, session, attachments, context, planOnly, acceptPreview }: WantedMessage,
): AskRequest {
  return {
    caller,
    message,
    ...(session !== undefined && { session }),
    ...(context !== undefined && { context }),
    ...(planOnly !== undefined && { planOnly }),
    ...(acceptPreview !== undefined && { acceptPreview }),
    ...(attachments && {
      attachments: attachments.map(({ name, content, language }) => ({
        name,
        content,
        ...(language !== undefined && { language }),
      })),
    }),
  };
}
