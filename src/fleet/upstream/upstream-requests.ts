import type { CallContext } from '../../contract/server/index.ts';
import { SignalAbort, withTimeLimit, type Log } from '../../kernel/index.ts';
import { isRecord, type Params } from '../../protocol/index.ts';
import { SessionExpiredError } from '../errors.ts';
import { ClientScheduler } from './client-scheduler.ts';
import { OutcomeUnknownError, ServerUnavailableError } from './errors.ts';
import { answerInputRounds, isInputRequired, nameInputRequests } from './input-rounds.ts';
import { initialize, type Negotiated } from './negotiate.ts';
import { extraMembers, type DraftRequest, type Member } from './request-text.ts';
import { runAsTask } from './run-as-task.ts';
import type { SendOptions, UpstreamConnection } from './upstream-connection.ts';
import { upstreamLimits } from './upstream-limits.ts';

export interface RequestParts {
  readonly server: string;
  readonly connection: UpstreamConnection;
  readonly negotiated: Negotiated;
  readonly clientInfo: Params;
  readonly onProblem: (problem: string) => void;
  /** The session had expired and was renewed. */
  readonly onNewSession: () => void;
  readonly log: Log;
}

/** How a call may be retried, and what its result must contain. */
export interface CallPolicy {
  /** `Tool "x"`, or the method. */
  readonly what: string;
  readonly isRepeatable: boolean;
  /** Read-only: a lost response leaves no unknown outcome. */
  readonly isReading?: true;
  /** The server runs it only as a task, and the caller did not request one. */
  readonly isTask?: boolean;
  /** The list that callers expect in the result; empty where the server omits it. */
  readonly list?: 'content' | 'contents' | 'messages';
}

interface PendingCall {
  readonly policy: CallPolicy;
  readonly context: CallContext;
  /** The client whose slot in the scheduler is released when the request ends. */
  readonly clientId?: string;
}

/** Requests to one server: scheduling, input rounds and expired sessions. */
export class UpstreamRequests {
  readonly scheduler = new ClientScheduler();
  readonly #parts: RequestParts;
  #renewing: Promise<unknown> | undefined;

  constructor(parts: RequestParts) {
    this.#parts = parts;
  }

  /** One request of a caller, including the server's input requests. */
  call(draft: DraftRequest, policy: CallPolicy, context: CallContext): Promise<Params> {
    const whole = this.#withExtra(draft, context.extra);
    if (this.#parts.negotiated.era === 'stateless')
      return this.#callInRounds(whole, policy, context);
    const clientId = context.client?.id ?? '';
    const waiting = this.scheduler.enter(clientId, context);
    if (!waiting && !policy.isTask) return this.#send(whole, { policy, context, clientId });
    return this.#callWhenScheduled(whole, { policy, context, clientId }, waiting);
  }

  async #callInRounds(
    draft: DraftRequest,
    policy: CallPolicy,
    context: CallContext,
  ): Promise<Params> {
    const { server } = this.#parts;
    const result = await this.#send(draft, { policy, context });
    if (!isInputRequired(result)) return result;
    if (context.client?.era === 'stateless') {
      return withList(nameInputRequests(server, result), policy.list);
    }
    const repeat = (added: readonly Member[]): Promise<Params> =>
      this.#send({ ...draft, members: [...draft.members, ...added] }, { policy, context });
    return answerInputRounds(result, { server, what: policy.what, context, repeat });
  }

  async #callWhenScheduled(
    draft: DraftRequest,
    pending: PendingCall,
    waiting: Promise<void> | undefined,
  ): Promise<Params> {
    const { policy, context, clientId = '' } = pending;
    if (waiting) await waiting;
    if (!policy.isTask) return this.#send(draft, pending);
    try {
      return await runAsTask(draft, {
        server: this.#parts.server,
        signal: context.signal,
        send: (part) => this.#send(part, { policy, context }),
        lost: this.#sendOptions(policy, context).lost,
        sendInBackground: (part) => this.sendInBackground(part),
      });
    } finally {
      this.scheduler.leave(clientId);
    }
  }

  /** One of Tutti's own requests. */
  async control(draft: DraftRequest, signal: AbortSignal): Promise<Params> {
    const { connection, server } = this.#parts;
    const options: SendOptions = {
      abort: new SignalAbort(signal),
      lost: (reason, cause) => new ServerUnavailableError(server, reason, cause),
    };
    if (this.#renewing) await this.#renewing.catch(() => {});
    try {
      return await connection.request(draft, options);
    } catch (error) {
      if (!(error instanceof SessionExpiredError)) throw error;
      await this.#renew(error);
      return connection.request(draft, options);
    }
  }

  /** The same with a time limit. */
  limited(draft: DraftRequest, limitMs: number, signal: AbortSignal): Promise<Params> {
    const what = `${draft.method} of server "${this.#parts.server}"`;
    return withTimeLimit({ what, limitMs, signal }, (ended) => this.control(draft, ended));
  }

  /** Sends a request without waiting for its result; a refusal counts as a problem of the server. */
  sendInBackground(draft: DraftRequest): void {
    const { connection, onProblem } = this.#parts;
    this.limited(draft, upstreamLimits.controlMs, new AbortController().signal).catch(() => {
      if (!connection.end) onProblem(`refused ${draft.method}`);
    });
  }

  /** Adds the members that the server's era supports. */
  #withExtra(draft: DraftRequest, extra: Params | undefined): DraftRequest {
    if (!extra) return draft;
    const { era, capabilities } = this.#parts.negotiated;
    const hasTasks = era === 'handshake' && isRecord(capabilities['tasks']);
    const foreign = [
      ...(era === 'handshake' ? ['inputResponses', 'requestState'] : []),
      ...(hasTasks ? [] : ['task']),
    ];
    return { ...draft, members: [...draft.members, ...extraMembers(extra, foreign)] };
  }

  #send(draft: DraftRequest, pending: PendingCall): Promise<Params> {
    const { connection } = this.#parts;
    // Only HTTP has sessions that expire.
    if (connection.hasHeaders) return this.#sendInSession(draft, pending);
    const { policy, context, clientId } = pending;
    const options = this.#sendOptions(policy, context);
    return new Promise((resolve, reject) => {
      connection.send(draft, options, {
        resolve: (result) => {
          if (clientId !== undefined) this.scheduler.leave(clientId);
          resolve(withList(result, policy.list));
        },
        reject: (error) => {
          if (clientId !== undefined) this.scheduler.leave(clientId);
          reject(error);
        },
      });
    });
  }

  /** One function, because it is on the path of every call: each extra await costs as much as the message. */
  async #sendInSession(
    draft: DraftRequest,
    { policy, context, clientId }: PendingCall,
  ): Promise<Params> {
    const { connection } = this.#parts;
    const options = this.#sendOptions(policy, context);
    try {
      // Requests without a session would be refused. A failed renewal shows in the request itself.
      if (this.#renewing) await this.#renewing.catch(() => {});
      return withList(await connection.request(draft, options), policy.list);
    } catch (error) {
      if (!(error instanceof SessionExpiredError)) throw error;
      const renewed = this.#renew(error);
      if (!policy.isRepeatable) {
        renewed.catch(() => {});
        throw options.lost('its session had expired', error);
      }
      await renewed;
      return withList(await connection.request(draft, options), policy.list);
    } finally {
      if (clientId !== undefined) this.scheduler.leave(clientId);
    }
  }

  #sendOptions(policy: CallPolicy, context: CallContext): SendOptions {
    const { server } = this.#parts;
    return {
      abort: context.abort ?? new SignalAbort(context.signal),
      context,
      lost: (reason, cause) =>
        policy.isReading
          ? new ServerUnavailableError(server, reason, cause)
          : new OutcomeUnknownError({ ...policy, server, reason }, cause),
    };
  }

  /** Renews an expired session; concurrent requests share one renewal. */
  #renew({ isCurrent }: SessionExpiredError): Promise<unknown> {
    if (this.#renewing) return this.#renewing;
    if (!isCurrent) return Promise.resolve();
    const { server, connection, clientInfo, log, onNewSession } = this.#parts;
    const limit = {
      what: `A new session with server "${server}"`,
      limitMs: upstreamLimits.controlMs,
      signal: new AbortController().signal,
    };
    this.#renewing = withTimeLimit(limit, async (signal) => {
      log.info('renewing expired session', { server });
      await initialize(connection, { server, clientInfo }, signal);
      onNewSession();
    }).finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }
}

/** Results without the list come from deferred calls and from early servers. */
function withList(result: Params, list: CallPolicy['list']): Params {
  if (list === undefined || Array.isArray(result[list])) return result;
  // Not enumerable, so that the result is passed on unchanged.
  return Object.defineProperty(result, list, { value: [] });
}
