import type { ClientName } from '../server-files/index.ts';

/** `user`: the client's own settings file. `project`: the client's file in the project's folder. */
export type ConnectionScope = 'user' | 'project';

/** Which settings file of which client. */
export interface ConnectionTarget {
  readonly client: ClientName;
  readonly scope: ConnectionScope;
}

/** How a client starts Tutti. */
export interface ClientEntry {
  readonly command: string;
  readonly args: readonly string[];
}

/** A change of a client's settings file, computed and not written yet. */
export interface ConnectionChange extends ConnectionTarget {
  readonly action: 'connect' | 'disconnect';
  /** The file that is written: links are resolved. */
  readonly file: string;
  /** The text of the file; undefined when there is no file. */
  readonly before: string | undefined;
  /** Undefined when the file is to be removed, because connecting had created it. */
  readonly after: string | undefined;
  readonly entry: ClientEntry;
  /** Sentences the user should read before agreeing. */
  readonly notes: readonly string[];
}

/** A client as it is on this machine. */
export interface ClientStatus {
  readonly client: ClientName;
  /** Its settings folder exists. */
  readonly isFound: boolean;
  /** Files that have an entry of Tutti. */
  readonly connected: readonly { readonly scope: ConnectionScope; readonly file: string }[];
  /** Why its files could not be read. */
  readonly problem?: string;
}

/** Whether an entry starts an MCP server, tried for real. */
export type EntryCheck =
  | { readonly kind: 'works'; readonly tools: number }
  | { readonly kind: 'failed'; readonly reason: string };

/** Puts Tutti into the settings of MCP clients and takes it out again. */
export interface ClientConnections {
  list(): Promise<readonly ClientStatus[]>;
  /** Computes the change; writes nothing. `useClientRoots` leaves the roots to the client. */
  planConnect(target: ConnectionTarget, useClientRoots: boolean): Promise<ConnectionChange>;
  planDisconnect(target: ConnectionTarget): Promise<ConnectionChange>;
  /** Writes the change. Refuses when the file changed since it was planned. */
  apply(change: ConnectionChange): Promise<void>;
  /** Starts the entry as a client would and lists its tools. */
  check(entry: ClientEntry): Promise<EntryCheck>;
}
