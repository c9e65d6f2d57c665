import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { CallContext, ClientPort } from '../../contract/server/index.ts';
import { AppError } from '../../kernel/index.ts';
import { isRecord, type Params } from '../../protocol/index.ts';
import { withServerName, refusalOf } from './client-capabilities.ts';
import { InputRequiredError } from './errors.ts';
import { valueText, type Member } from './request-text.ts';
import { upstreamLimits } from './upstream-limits.ts';

export interface InputRounds {
  readonly server: string;
  /** `Tool "x"`, or the method. */
  readonly what: string;
  readonly context: CallContext;
  /** Sends the request again with these members added. */
  readonly repeat: (added: readonly Member[]) => Promise<Params>;
}

/** Whether the server needs input before it can complete the request. */
export function isInputRequired(result: Params): boolean {
  return result['resultType'] === 'input_required';
}

/**
 * Answers the input requests of a stateless server: asks the handshake client and resends the request, until it
 * completes or the rounds are used up.
 */
export async function answerInputRounds(first: Params, rounds: InputRounds): Promise<Params> {
  const { server, what, context } = rounds;
  let result = first;
  for (let round = 0; isInputRequired(result); round += 1) {
    if (round >= upstreamLimits.maxInputRounds) {
      throw new InputRequiredError(server, what, `it asked more than ${round} times in a row`);
    }
    result = await rounds.repeat(await answersTo(result, rounds, context.client));
  }
  return result;
}

/** The server's input requests, for a stateless client that answers them itself. */
export function nameInputRequests(server: string, result: Params): Params {
  const { inputRequests } = result;
  if (!isRecord(inputRequests)) return result;
  const named = Object.entries(inputRequests).map(([key, request]): [string, unknown] => {
    const { method, params } = isRecord(request) ? request : {};
    if (typeof method !== 'string') return [key, request];
    return [key, withServerName(server, { method, params: isRecord(params) ? params : {} })];
  });
  return { ...result, inputRequests: Object.fromEntries(named) };
}

async function answersTo(
  result: Params,
  rounds: InputRounds,
  client: ClientPort | undefined,
): Promise<Member[]> {
  const { inputRequests, requestState } = result;
  const asked = isRecord(inputRequests) ? Object.entries(inputRequests) : [];
  const { signal } = rounds.context;
  const state: Member[] =
    typeof requestState === 'string' ? [['requestState', valueText(requestState)]] : [];
  if (asked.length === 0) {
    await pause(upstreamLimits.returnPauseMs, undefined, { signal });
    return state;
  }
  if (!client) {
    throw new InputRequiredError(rounds.server, rounds.what, 'there is no client to ask');
  }
  const answers = await Promise.all(
    asked.map(async ([key, request]) => [key, await answerOne(request, rounds, client)] as const),
  );
  return [...state, ['inputResponses', JSON.stringify(Object.fromEntries(answers))]];
}

async function answerOne(
  request: unknown,
  { server, what, context }: InputRounds,
  client: ClientPort,
): Promise<Params> {
  const method = isRecord(request) ? request['method'] : undefined;
  if (!isRecord(request) || typeof method !== 'string') {
    throw new InputRequiredError(server, what, 'its input request has no method');
  }
  const params = olderParams(isRecord(request['params']) ? request['params'] : {});
  const refusal = refusalOf(client, method, params);
  if (refusal) throw new InputRequiredError(server, what, refusal.message);
  try {
    return await client.ask(withServerName(server, { method, params }), context.signal);
  } catch (error) {
    context.signal.throwIfAborted();
    // An unanswered form counts as cancelled; sampling results and roots have no such value.
    if (method === 'elicitation/create' && error instanceof AppError) return { action: 'cancel' };
    throw error;
  }
}

/** Adds a member that handshake clients require and stateless servers omit. */
function olderParams(params: Params): Params {
  const needsId = params['mode'] === 'url' && params['elicitationId'] === undefined;
  return needsId ? { ...params, elicitationId: randomUUID() } : params;
}
