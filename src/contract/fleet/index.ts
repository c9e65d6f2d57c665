import type { Secret } from '../../kernel/index.ts';
import type { Caller } from '../caller/index.ts';
import type { Tool } from '../tool/index.ts';
import type { McpServerEntry } from '../settings/index.ts';

/**
 * idle: not started, will be at the first call · starting · ready · restarting: it ended and is started
 * again after a pause · crash-looping: it ended so often that the pauses are long · failed: it cannot be
 * used until its entry or the world changes; calls are refused at once, with the reason · disabled:
 * its entry says so · untrusted: an entry of a project that is not trusted.
 */
export type ServerState =
  | 'idle'
  | 'starting'
  | 'ready'
  | 'restarting'
  | 'crash-looping'
  | 'failed'
  | 'disabled'
  | 'untrusted';

export type ServerTransport = 'in-process' | 'stdio' | 'http' | 'sse';

/** How one server of the fleet is doing. */
export interface ServerStatus {
  readonly name: string;
  readonly transport: ServerTransport;
  readonly state: ServerState;
  /** When it came into this state, ISO 8601. */
  readonly since: string;
  readonly pid: number | null;
  readonly restarts: number;
  readonly lastError: string | null;
  readonly tools: number;
  readonly resources: number;
  readonly prompts: number;
  readonly calls: number;
  readonly failedCalls: number;
  /** Of the latest calls; null when there were none. */
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
  /** Of its process and all below it; null where it has none of its own or it cannot be known. */
  readonly memoryBytes: number | null;
  /** What it negotiated; null before the first connection. */
  readonly protocolVersion: string | null;
  readonly version: string | null;
  /** Where its entry comes from. */
  readonly source: 'built-in' | 'user' | 'project' | 'flag';
  /** Misbehaviour that was contained: `sent 3 lines that are no JSON`. */
  readonly problems: readonly string[];
  /** Tools that are not what they were when they were first seen or last accepted. */
  readonly changedTools: readonly ToolChange[];
  /** What is suspicious about its tools. Nothing is blocked because of it. */
  readonly flags: readonly ToolFlag[];
  /** The caller's login to it; null where none is needed as far as is known. */
  readonly login: LoginStatus | null;
}

/** A caller's login to a remote server. */
export interface LoginStatus {
  /**
   * needed: the server asked for one · active: renewed by itself where `isRenewable` · expired: it ended and
   * cannot be renewed · revoked: the authority or the server no longer accepts it.
   */
  readonly state: 'needed' | 'active' | 'expired' | 'revoked';
  readonly callerId: string;
  /** Who logged in, in the words of the authority, where it says so. */
  readonly account: string | null;
  /** The authority that issued the tokens. */
  readonly issuer: string | null;
  readonly scopes: readonly string[];
  /** Of the current access token, ISO 8601; null when the authority does not say. */
  readonly expiresAt: string | null;
  readonly isRenewable: boolean;
}

/** A login with a browser. */
export interface LoginRequest {
  readonly caller: Caller;
  /** Called once with the URL to be opened in a browser. */
  readonly onUrl: (url: string) => void;
  readonly signal: AbortSignal;
}

export interface LogoutReport {
  /** There was a login. */
  readonly isDone: boolean;
  /** The authority confirmed that the tokens are no longer valid. */
  readonly isRevoked: boolean;
}

/** Something suspicious about the definition of a tool. */
export interface ToolFlag {
  readonly tool: string;
  readonly kind:
    | 'hidden characters'
    | 'terminal escapes'
    | 'look-alike name'
    | 'hidden instructions'
    | 'shadowing';
  /** Completes "tool NAME: ". */
  readonly message: string;
}

/** A tool, or the server's instructions, that differ from what the user accepted. */
export interface ToolChange {
  /** `instructions` for those of the server. */
  readonly tool: string;
  readonly kind: 'changed' | 'new' | 'instructions';
  /** `description`, `input schema`, `output schema`, `annotations`; `new`; `instructions`. */
  readonly fields: readonly string[];
  /** Agents, plans and clients cannot use it until it is accepted; held instructions are not shown to them. */
  readonly isHeld: boolean;
  /** ISO 8601. */
  readonly at: string;
  /** Its annotations ask for less care than before; they count once that is accepted, where they count at all. */
  readonly isLessCareful: boolean;
}

/** What is compared of a tool. */
export type ToolDefinition = Partial<
  Pick<Tool, 'title' | 'description' | 'inputSchema' | 'outputSchema' | 'annotations'>
>;

/** A change with both definitions, as far as they are known: the tool may be gone, or be new. */
export interface ToolDiff {
  readonly change: ToolChange;
  readonly before?: ToolDefinition;
  readonly after?: ToolDefinition;
}

/** What people and tools may do with the fleet as a whole. */
export interface FleetControl {
  /** Now, without starting anything. Logins are those of the caller; without one, none are shown. */
  status(caller?: Caller): Promise<readonly ServerStatus[]>;
  /** Starts every server that may be started and waits until each is ready or has failed, at most `limitMs`. */
  startAll(limitMs: number): Promise<void>;
  /** Stops and starts one. Throws `fleet.unknown_server`. */
  restart(name: string): Promise<void>;
  /** The latest lines a server wrote to standard error, oldest first. Throws `fleet.unknown_server`. */
  logs(name: string, maxLines: number): Promise<readonly string[]>;
  /** What changed of a server's tools since they were accepted. Throws `fleet.unknown_server`. */
  diffTools(name: string): Promise<readonly ToolDiff[]>;
  /**
   * Accepts what changed of these tools of a server, of all by default, and returns it. Throws
   * `fleet.unknown_server`, `fleet.not_found`.
   */
  acceptTools(name: string, tools?: readonly string[]): Promise<readonly ToolChange[]>;
  /** Takes over what other processes accepted. Throws `fleet.unknown_server`. */
  rereadTools(name: string): Promise<void>;
  /**
   * Logs the caller in to a remote server; resolves when the browser has returned and tokens are stored. Throws
   * `fleet.unknown_server`, `fleet.login_failed`.
   */
  login(name: string, request: LoginRequest): Promise<LoginStatus>;
  /** Deletes the caller's tokens and revokes them where the authority can. Throws `fleet.unknown_server`. */
  logout(name: string, caller: Caller): Promise<LogoutReport>;
  /** Names that two servers claim, and what was done about each, as sentences. */
  collisions(): readonly string[];
}

/** One server of `mcpServers` as it counts at this moment. */
export interface FleetEntry {
  readonly name: string;
  /** Defaults filled in; texts may still hold `${env:NAME}` and the like, which `launch` replaces. */
  readonly settings: McpServerEntry;
  readonly source: 'user' | 'project' | 'flag';
  readonly state: 'enabled' | 'disabled' | 'untrusted';
  /** The same as long as nothing about the entry changed, and not the entry's secrets. */
  readonly fingerprint: string;
  /** The same as long as it is started or reached in the same way, whatever else is said about it. */
  readonly launchFingerprint: string;
}

/** The servers of `mcpServers`, kept up to date while the files that name them change. */
export interface FleetEntries {
  /** By name, each name once. */
  current(): readonly FleetEntry[];
  /** Calls `listener` after every change of `current()` until the returned function is called. */
  onChange(listener: () => void): () => void;
  /**
   * What is needed to start or reach an enabled server, variables and files filled in now. Throws
   * `config.unresolved_reference` with the entry and the key.
   */
  launch(entry: FleetEntry): Promise<ServerLaunch>;
}

/** How a server is started or reached. Holds secrets: it is neither logged nor shown. */
export type ServerLaunch =
  | {
      readonly transport: 'stdio';
      readonly command: string;
      readonly args: readonly string[];
      readonly cwd: string;
      /** All of it: the allow-list of ours and what the entry names. */
      readonly env: Readonly<Record<string, string>>;
    }
  | {
      readonly transport: 'http' | 'sse';
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly login?: ServerLogin | undefined;
    };

/** What an entry says about the login to its server. */
export interface ServerLogin {
  readonly clientId?: string | undefined;
  readonly clientSecret?: Secret | undefined;
  /** The only authorization server that is accepted. */
  readonly issuer?: string | undefined;
  /** Scopes to request instead of those the server names. */
  readonly scopes?: readonly string[] | undefined;
  /** Obtains tokens by token exchange (RFC 8693) instead of with a browser. */
  readonly exchange?:
    | {
        readonly subjectToken: Secret;
        readonly subjectTokenType: string;
        /** Who acts for the subject. */
        readonly actorToken?: Secret | undefined;
        readonly actorTokenType?: string | undefined;
        readonly audience?: string | undefined;
      }
    | undefined;
}
