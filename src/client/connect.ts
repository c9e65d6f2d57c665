/**
 * `import { connect } from 'tutti/client'`. The build writes the declarations of this file and of `operations.ts` for
 * users of the package, so its types name nothing of other files.
 */
import { Connection } from './connection.ts';
import type { Operations } from './operations.ts';

export type { Operations } from './operations.ts';

export interface ClientOptions {
  /** Where the server listens: `https://tutti.example.com`. */
  readonly url: string;
  /** An API key, a JWT, or the token of the machine. */
  readonly token?: string;
  /** For one request, event streams excepted. */
  readonly timeoutMs?: number;
}

interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

/** Operations that list something page by page. */
export type ListName = {
  [Name in keyof Operations]: Operations[Name]['output'] extends Page<unknown> ? Name : never;
}[keyof Operations];

export type ListItem<Name extends ListName> =
  Operations[Name]['output'] extends Page<infer Item> ? Item : never;

export interface ClientEvent {
  readonly id: string | undefined;
  /** `journal` or `run`. */
  readonly event: string;
  /** JSON. */
  readonly data: string;
}

/** A Tutti server behind its REST API. */
export interface Client {
  /** Sends a request for an operation of the API document and gives its answer. Throws a `ClientError`. */
  call<Name extends keyof Operations>(
    name: Name,
    input: Operations[Name]['input'],
    options?: { readonly signal?: AbortSignal; readonly idempotencyKey?: string },
  ): Promise<Operations[Name]['output']>;
  /** Items of all pages of a list, at most `limit`. */
  all<Name extends ListName>(
    name: Name,
    input: Operations[Name]['input'],
    options?: { readonly limit?: number; readonly signal?: AbortSignal },
  ): Promise<ListItem<Name>[]>;
  /** Events of a run until it is over. Reconnects where it left off: no event is lost or repeated. */
  events(of: 'runs' | 'turns', id: string, signal: AbortSignal): AsyncGenerator<ClientEvent>;
}

/** A failure with a stable code: that of the server, or `client.…`. */
export interface ClientError extends Error {
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>>;
}

export function connect(options: ClientOptions): Client {
  return new Connection(options);
}

export function isClientError(error: unknown): error is ClientError {
  return error instanceof Error && 'code' in error && 'details' in error;
}
