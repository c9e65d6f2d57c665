import { z } from 'zod';
import type { Permission } from '../contract/access/index.ts';
import type { Caller } from '../contract/caller/index.ts';
import type { DeepReadonly } from '../kernel/index.ts';
import type { HttpExchange } from '../http/index.ts';
import type { AnswerCache } from './answer-cache.ts';
import type { ApiLimits, ApiPorts } from './ports.ts';
import type { RunEventStreams } from './events/run-event-streams.ts';
import type { TurnStreams } from './events/turn-streams.ts';

/** The parts of one request, checked by the schemas of its route. */
export interface ApiCall<Params, Query, Body> {
  readonly caller: Caller;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
  /** `traceparent` and the like, in the form MCP requests carry them. */
  readonly meta: Readonly<Record<string, unknown>>;
  /** For starts that are stored under the caller's own key, so that a repeated one starts nothing. */
  readonly idempotencyKey: string | undefined;
  readonly limits: ApiLimits;
  readonly streams: RunEventStreams;
  readonly turns: TurnStreams;
  readonly cache: AnswerCache;
}

interface RouteText {
  readonly summary: string;
  readonly description?: string;
  readonly permission: Permission;
  /** Of the answer; 200 unless given. */
  readonly status?: 200 | 201 | 202 | 204;
  /**
   * What a second request with the same `Idempotency-Key` may do when the first died unanswered: `safe` requests are
   * made again (they change nothing more), others are refused.
   */
  readonly repeat?: 'safe' | 'once';
  /** The answer holds a secret: it is kept nowhere. */
  readonly isSecret?: true;
  /** Media type of the answer where it is not JSON. */
  readonly mediaType?: string;
}

type Shape = z.ZodObject;

interface RouteShape<
  Params extends Shape,
  Query extends Shape,
  Body extends z.ZodType,
  Answer extends z.ZodType,
> extends RouteText {
  readonly params?: Params;
  readonly query?: Query;
  /** An absent body counts as `{}`. */
  readonly body?: Body;
  readonly answer: Answer;
  /** Path of what was made, below `/api/v1`. */
  readonly location?: (answer: DeepReadonly<z.input<Answer>>) => string | undefined;
  /** One of `handle` and `serve`. */
  readonly handle?: (
    call: ApiCall<z.output<Params>, z.output<Query>, z.output<Body>>,
    ports: ApiPorts,
  ) => Promise<DeepReadonly<z.input<Answer>>>;
  /** Writes the response itself. */
  readonly serve?: (
    call: ApiCall<z.output<Params>, z.output<Query>, z.output<Body>>,
    ports: ApiPorts,
    exchange: Pick<HttpExchange, 'request' | 'response'>,
  ) => Promise<void>;
}

type AnyCall = ApiCall<unknown, unknown, unknown>;

/** A route whose types were checked where it was defined. */
export interface ApiRoute extends RouteText {
  readonly method: 'get' | 'post' | 'delete';
  /** `/runs/{id}`, below `/api/v1`. */
  readonly path: string;
  readonly group: string;
  readonly params: Shape;
  readonly query: Shape;
  readonly body: z.ZodType;
  readonly answer: z.ZodType;
  readonly location?: (answer: unknown) => string | undefined;
  readonly handle?: (call: AnyCall, ports: ApiPorts) => Promise<unknown>;
  readonly serve?: (
    call: AnyCall,
    ports: ApiPorts,
    exchange: Pick<HttpExchange, 'request' | 'response'>,
  ) => Promise<void>;
}

const nothing = z.strictObject({});
type Nothing = typeof nothing;

/** What defines the routes of one group: `get('/runs', { … })`. */
export function routesOf(group: string) {
  const define =
    (method: ApiRoute['method']) =>
    <
      Answer extends z.ZodType,
      Params extends Shape = Nothing,
      Query extends Shape = Nothing,
      Body extends z.ZodType = Nothing,
    >(
      path: string,
      route: RouteShape<Params, Query, Body, Answer>,
    ): ApiRoute => {
      const defined = { params: nothing, query: nothing, body: nothing, method, path, group };
      // The app passes `handle` just what the schemas of the same route gave.
      return { ...defined, ...route } as unknown as ApiRoute;
    };
  return { get: define('get'), post: define('post'), remove: define('delete') };
}

/** A whole number in a query. */
export function integerParam(range: { readonly min: number; readonly max: number }) {
  return z
    .string()
    .regex(/^-?\d{1,15}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.int().min(range.min).max(range.max));
}

export const booleanParam = z
  .enum(['true', 'false'])
  .transform((text) => text === 'true')
  .pipe(z.boolean());

/** Several values of a list, separated by commas. */
export function listParam<Values extends readonly [string, ...string[]]>(values: Values) {
  return z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(z.enum(values)).min(1).max(values.length));
}

/** An id or a name in a path. */
export const idParam = z.string().min(1).max(300);
export const byId = z.strictObject({ id: idParam });
export const byName = z.strictObject({ name: idParam });
