import type { CallAbort } from '../../contract/server/index.ts';
import type { Message, RequestId } from '../../protocol/index.ts';

/**
 * A transport to a server: carries JSON-RPC messages both ways, independent of their methods. A link is opened
 * and closed once.
 *
 * 1. Messages are delivered in the order they arrived, and none after `onClose`.
 * 2. `onClose` is called once, whichever side ended the link; after it `send` does nothing.
 * 3. Invalid input (garbage, lines over the limit) is reported to `onProblem` and has no other effect.
 */
export interface Link {
  /** The process at the other end, where there is one. */
  readonly pid: number | undefined;
  /** Sends the JSON text of one message. Failures of one request go to `onRequestFailed`, not to the caller. */
  send(message: OutgoingMessage): void;
  /** Handshake era over HTTP: the negotiated version, sent as a header from now on. */
  setProtocolVersion?(version: string): void;
  /** Handshake era over HTTP: opens the stream for messages that belong to no request, and keeps it open. */
  listen?(): void;
  /** Ends the link, its process and its descendants, within the link's limits. Resolves when they are gone. */
  close(): Promise<void>;
}

export interface OutgoingMessage {
  /** One line of JSON, without the line end. */
  readonly text: string;
  readonly method?: string;
  /** Set for requests: ties messages on the same HTTP exchange to the request. */
  readonly id?: RequestId;
  /** Headers that mirror parts of the request (stateless era over HTTP). Ignored by pipes. */
  readonly headers?: Readonly<Record<string, string>>;
  /** No other request is pending, so there is nothing to batch it with. For pipes. */
  readonly isAlone?: boolean;
  /** Ends the HTTP exchange of an abandoned request. Ignored by pipes. */
  readonly abort?: CallAbort;
}

export interface LinkListener {
  onMessage(received: ReceivedMessage): void;
  /** A request will get no response: its exchange failed. The link itself may stay open. */
  onRequestFailed(id: RequestId, error: Error): void;
  /** Contained misbehaviour, as a constant predicate: `sent an invalid JSON-RPC message`. */
  onProblem(problem: string): void;
  onClose(ended: LinkEnd): void;
}

export interface ReceivedMessage {
  readonly message: Exclude<Message, { kind: 'malformed' }>;
  /** The original JSON text. */
  readonly text: string;
  /** The request on whose exchange it arrived (HTTP); undefined on pipes. */
  readonly during?: RequestId;
}

/** Why a link ended, as one sentence for status and errors; `isWanted` when `close` was called. */
export interface LinkEnd {
  readonly reason: string;
  readonly isWanted: boolean;
  readonly exitCode?: number | null;
  readonly signal?: string | null;
}

/** How a link is opened: rejects with an `AppError` when it cannot be. */
export type OpenLink = (listener: LinkListener) => Promise<Link>;
