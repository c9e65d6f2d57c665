import { isOneEffect } from '../../contract/agent/index.ts';
import type { Plan } from '../../contract/plan/index.ts';
import type { ClientPort } from '../../contract/server/index.ts';
import { AppError, escapeUnseen } from '../../kernel/index.ts';

export function canBeAsked(client: ClientPort | undefined): client is ClientPort {
  return client?.capabilities['elicitation'] !== undefined;
}

/** The person at the client is asked to approve the only call of the plan, which shows more than a preview does. */
export function isShownForApproval(client: ClientPort | undefined, plan: Plan): boolean {
  return isOneEffect(plan) && canBeAsked(client);
}

/** Puts questions to the person at the client; undefined when they did not answer. */
export async function askQuestions(
  client: ClientPort,
  questions: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  const properties = questions.map((question, index): [string, object] => [
    `answer_${index + 1}`,
    { type: 'string', title: escapeUnseen(question) },
  ]);
  const content = await elicit(client, signal, {
    message:
      questions.length === 1 ? (questions[0] ?? '') : `Before I begin:\n${questions.join('\n')}`,
    requestedSchema: { type: 'object', properties: Object.fromEntries(properties) },
  });
  if (!content) return undefined;
  const answers = properties.map(([key]) => content[key]);
  return answers.some((answer) => typeof answer === 'string' && answer.trim() !== '')
    ? answers.map((answer) => (typeof answer === 'string' ? answer : ''))
    : undefined;
}

/** Shows a plan to the person at the client; undefined when they closed it without an answer. */
export async function confirmPlan(
  client: ClientPort,
  preview: string,
  signal: AbortSignal,
): Promise<boolean | undefined> {
  const content = await elicit(client, signal, {
    message: preview,
    requestedSchema: {
      type: 'object',
      properties: { run: { type: 'boolean', title: 'Run this plan', default: false } },
      required: ['run'],
    },
  });
  return content === undefined ? undefined : content['run'] === true;
}

/**
 * Shows the plans a message may mean to the person at the client, with a form to pick one. The position of the
 * plan, -1 for none of them; undefined when they closed it without an answer.
 */
export async function choosePlan(
  client: ClientPort,
  { preview, count }: { readonly preview: string; readonly count: number },
  signal: AbortSignal,
): Promise<number | undefined> {
  const numbers = Array.from({ length: count }, (_, index) => String(index + 1));
  const content = await elicit(client, signal, {
    message: preview,
    requestedSchema: {
      type: 'object',
      properties: { plan: { type: 'string', title: 'Plan to run', enum: [...numbers, 'none'] } },
      required: ['plan'],
    },
  });
  return content === undefined ? undefined : numbers.indexOf(String(content['plan']));
}

/** Asks the person at the client whether the agent may use more tools; undefined when they did not answer. */
export async function confirmTools(
  client: ClientPort,
  question: string,
  signal: AbortSignal,
): Promise<boolean | undefined> {
  const content = await elicit(client, signal, {
    message: question,
    requestedSchema: {
      type: 'object',
      properties: { allow: { type: 'boolean', title: 'Allow it', default: false } },
      required: ['allow'],
    },
  });
  return content === undefined ? undefined : content['allow'] === true;
}

async function elicit(
  client: ClientPort,
  signal: AbortSignal,
  form: { readonly message: string; readonly requestedSchema: object },
): Promise<Readonly<Record<string, unknown>> | undefined> {
  try {
    const params = { ...form, message: escapeUnseen(form.message) };
    const answer = await client.ask({ method: 'elicitation/create', params }, signal);
    if (answer['action'] === 'decline') return {};
    return answer['action'] === 'accept' ? Object(answer['content']) : undefined;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof AppError) return undefined;
    throw error;
  }
}
