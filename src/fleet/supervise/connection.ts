import type { FleetEntry } from '../../contract/fleet/index.ts';
import type { OpenedServer } from '../server-runner.ts';

/** A live connection to a server outside this process: what supervision needs of it. */
export interface Connection extends OpenedServer {
  readonly protocolVersion: string;
  /** The process at the other end, where there is one. */
  readonly pid: number | undefined;
  /** False as soon as it can carry no more calls, before those in flight learn of it. */
  readonly isOpen: boolean;
  /** Misbehaviour that was contained, as sentence parts. */
  readonly problems: readonly string[];
  /** When the server last said anything, in milliseconds since the epoch. */
  readonly lastTrafficAt: number;
  /** Resolves once, with the reason as a sentence, whoever ended it. */
  readonly ended: Promise<{ readonly reason: string }>;
  /** Resolves when the server shows that it is alive. */
  ping(signal: AbortSignal): Promise<void>;
}

/** Opens a connection; rejects with an `AppError`, whose `retryable` says whether to try again soon. */
export type Connect = (signal: AbortSignal) => Promise<Connection>;

/** What accompanies the opening of a connection to a configured server. */
export interface ConnectRequest {
  readonly entry: FleetEntry;
  readonly signal: AbortSignal;
  /** What it spoke last time, which saves finding out. */
  readonly knownProtocolVersion: string | undefined;
  readonly onStderr: (line: string) => void;
}
