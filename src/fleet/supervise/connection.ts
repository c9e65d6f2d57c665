import type { Caller } from '../../contract/caller/index.ts';
import type { FleetEntry } from '../../contract/fleet/index.ts';
import type { OpenedServer } from '../server-runner.ts';

/** A live connection to an external server, as supervision needs it. */
export interface Connection extends OpenedServer {
  readonly protocolVersion: string;
  /** The process at the other end, where there is one. */
  readonly pid: number | undefined;
  /** False as soon as it accepts no more calls, before pending ones are rejected. */
  readonly isOpen: boolean;
  /** Contained misbehaviour, as predicates: `answered a request twice`. */
  readonly problems: readonly string[];
  /** Time of the last message from the server, in milliseconds since the epoch. */
  readonly lastTrafficAt: number;
  /** Resolves once the connection has ended, with the reason as a sentence. */
  readonly ended: Promise<{ readonly reason: string }>;
  /** Resolves when the server responds. */
  ping(signal: AbortSignal): Promise<void>;
}

/** Opens a connection; rejects with an `AppError`, whose `retryable` says whether to try again soon. */
export type Connect = (signal: AbortSignal) => Promise<Connection>;

/** A request to connect to a configured server. */
export interface ConnectRequest {
  readonly entry: FleetEntry;
  /** Whose login is used, where the server wants one. */
  readonly caller: Caller;
  readonly signal: AbortSignal;
  /** The version it spoke last time; saves a probe. */
  readonly knownProtocolVersion: string | undefined;
  readonly onStderr: (line: string) => void;
}
