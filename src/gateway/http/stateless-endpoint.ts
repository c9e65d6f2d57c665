import { ForbiddenError } from '../../contract/access/index.ts';
import { EventStream, respondJson } from '../../http/index.ts';
import {
  checkMirroredHeaders,
  checkParamHeaders,
  findParamHeaders,
  rpcErrorCode,
  unsupportedVersion,
  type ParamHeader,
  type Request,
  type RpcError,
} from '../../protocol/index.ts';
import { answerRequest, errorReply, type EraRules, type Reply } from '../answer-request.ts';
import { ConnectionClosedError, TooManySubscriptionsError } from '../errors.ts';
import { ParkedCalls } from '../parked-calls.ts';
import { RequestsInFlight } from '../requests-in-flight.ts';
import { explainFailure } from '../rpc-failure.ts';
import { statelessRules } from '../stateless.ts';
import { openSubscription, type Subscription } from '../subscription.ts';
import { answerOf, type HttpCall, type HttpParts } from './http-parts.ts';
import { PostExchange } from './post-exchange.ts';

/** Answers POSTs of the stateless era: each is self-contained. */
export class StatelessEndpoint {
  readonly #parts: HttpParts;
  readonly #rules: EraRules;
  readonly #parked = new ParkedCalls();
  readonly #subscriptions = new Set<Subscription>();
  readonly #stopListening: () => void;
  #paramHeaders: Promise<ReadonlyMap<string, readonly ParamHeader[]>> | undefined;

  constructor(parts: HttpParts) {
    this.#parts = parts;
    this.#rules = statelessRules(parts.serving, this.#parked);
    this.#stopListening = parts.serving.server.onChange((change) => {
      if (change.kind === 'tools') this.#paramHeaders = undefined;
    });
  }

  async serve(request: Request, call: HttpCall): Promise<void> {
    const { headers } = call.request;
    const mismatch = checkMirroredHeaders(request, headers);
    if (mismatch) {
      const { caller } = call;
      this.#parts.serving.onHeaderMismatch?.({ caller, method: request.method });
    }
    const refusal =
      mismatch ??
      unsupportedVersion(String(headers['mcp-protocol-version']).trim()) ??
      (request.method === 'tools/call' ? await this.#checkParams(request, call) : undefined);
    if (refusal) {
      respondJson(call.response, { status: 400, text: errorReply(request, refusal).text });
      return;
    }
    if (request.method === 'subscriptions/listen') this.#listen(request, call);
    else await this.#answer(request, call);
  }

  /** Each with its result. */
  endSubscriptions(): void {
    for (const subscription of this.#subscriptions) subscription.finish();
    this.#subscriptions.clear();
  }

  close(): void {
    this.#stopListening();
    this.endSubscriptions();
    this.#parked.close(new ConnectionClosedError());
  }

  async #answer(request: Request, call: HttpCall): Promise<void> {
    const exchange = new PostExchange(call, this.#parts);
    // Ids are unique per client only, and stateless clients are not distinguished.
    const inFlight = new RequestsInFlight();
    const at = { origin: exchange, inFlight };
    const reply = await answerRequest(request, this.#rules, at);
    if (reply) exchange.finish(answerOf(reply, statusOf(reply), this.#parts));
  }

  #listen(request: Request, call: HttpCall): void {
    let stream: EventStream | undefined;
    try {
      const { serving } = this.#parts;
      const { maxSubscriptions } = this.#parts.limits;
      if (this.#subscriptions.size >= maxSubscriptions) {
        throw new TooManySubscriptionsError(maxSubscriptions);
      }
      const subscription = openSubscription({ serving, caller: call.caller }, request, (text) => {
        stream ??= new EventStream(call.response, this.#parts.limits);
        stream.send(text);
      });
      this.#keep(subscription, call);
    } catch (thrown) {
      const { text } = errorReply(request, this.#explain(thrown, request));
      const reply = { text, isForbidden: thrown instanceof ForbiddenError };
      respondJson(call.response, answerOf(reply, 200, this.#parts));
    }
  }

  #keep(subscription: Subscription, { response }: HttpCall): void {
    const kept: Subscription = {
      cancel: () => subscription.cancel(),
      finish: () => {
        subscription.finish();
        response.end();
      },
    };
    this.#subscriptions.add(kept);
    response.once('close', () => {
      if (this.#subscriptions.delete(kept)) kept.cancel();
    });
  }

  /** Tools may require arguments to be mirrored in headers. */
  async #checkParams(request: Request, call: HttpCall): Promise<RpcError | undefined> {
    try {
      this.#paramHeaders ??= this.#readParamHeaders();
      const declared = (await this.#paramHeaders).get(String(request.params['name']));
      if (!declared) return undefined;
      return checkParamHeaders(declared, request.params['arguments'], call.request.headers);
    } catch (thrown) {
      this.#paramHeaders = undefined;
      return this.#explain(thrown, request);
    }
  }

  async #readParamHeaders(): Promise<ReadonlyMap<string, readonly ParamHeader[]>> {
    const tools = await this.#parts.serving.server.listTools();
    return new Map(
      tools
        .map((tool) => [tool.name, findParamHeaders(tool.inputSchema)] as const)
        .filter(([, declared]) => declared.length > 0),
    );
  }

  #explain(thrown: unknown, request: Request): RpcError {
    const { method } = request;
    const { log } = this.#parts.serving;
    return explainFailure(thrown, { method, era: 'stateless', subject: undefined, log });
  }
}

/** A JSON-RPC error is a 200 response, with the exceptions the protocol defines. */
function statusOf({ errorCode }: Reply): number {
  if (errorCode === rpcErrorCode.methodNotFound) return 404;
  return errorCode === rpcErrorCode.missingClientCapability ? 400 : 200;
}
