import type { CallAbort } from '../../contract/server/index.ts';
import type { Message, RequestId } from '../../protocol/index.ts';

/**
 * One way to reach a server: carries JSON-RPC messages both ways and knows nothing of their methods.
 * A link is opened once and closed once; who needs another connection opens another link.
 *
 * 1. Messages are delivered in the order they arrived, and none after `onClose`.
 * 2. `onClose` is called once, whoever ended the link; after it `send` does nothing.
 * 3. What is no message (garbage, lines over the limit) goes to `onProblem` and harms nothing else.
 */
export interface Link {
  /** The process at the other end, where there is one. */
  readonly pid: number | undefined;
  /** Sends the JSON text of one message. Failures of one request go to `onRequestFailed`, not to the caller. */
  send(message: OutgoingMessage): void;
  /** Handshake era over HTTP: the version agreed upon, repeated in a header of everything sent from now on. */
  setProtocolVersion?(version: string): void;
  /** Handshake era over HTTP: opens the stream for messages that belong to no request, and keeps it open. */
  listen?(): void;
  /** Ends the link, its process and everything below it, within the link's own limits. Resolves when it is gone. */
  close(): Promise<void>;
}

export interface OutgoingMessage {
  /** One line of JSON, without the line end. */
  readonly text: string;
  readonly method?: string;
  /** Set for requests: lets HTTP tie what the server sends on this exchange to the request. */
  readonly id?: RequestId;
  /** Headers that repeat parts of the request (stateless era over HTTP). Ignored by pipes. */
  readonly headers?: Readonly<Record<string, string>>;
  /** No other request waits for an answer of this server: there is nothing to send it together with. For pipes. */
  readonly isAlone?: boolean;
  /** Ends the HTTP exchange of a request nobody waits for any more. Ignored by pipes. */
  readonly abort?: CallAbort;
}

export interface LinkListener {
  onMessage(received: ReceivedMessage): void;
  /** A request sent before will get no answer: its exchange failed. The link itself may live on. */
  onRequestFailed(id: RequestId, error: Error): void;
  /** Something was contained; a constant sentence part such as `sent a line that is no JSON`. */
  onProblem(problem: string): void;
  onClose(ended: LinkEnd): void;
}

export interface ReceivedMessage {
  readonly message: Exclude<Message, { kind: 'malformed' }>;
  /** The text it came as. */
  readonly text: string;
  /** The request on whose exchange it came, where the transport knows (HTTP); undefined on pipes. */
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
