import { z } from 'zod';
import type { DeepReadonly, Secret } from '../../kernel/index.ts';
import type { Caller } from '../caller/index.ts';
import type { Tool } from '../tool/index.ts';
import type { McpServerEntry } from '../settings/index.ts';

/** A tool, or the server's instructions, that differ from what the user accepted. */
export const toolChangeSchema = z.object({
  /** `instructions` for those of the server. */
  tool: z.string(),
  kind: z.enum(['changed', 'new', 'instructions']),
  /** Held instructions are not shown to agents, plans and clients. */
  isHeld: z.boolean().describe('It cannot be used until it is accepted.'),
  /** `description`, `input schema`, `output schema`, `annotations`; `new`; `instructions`. */
  fields: z.array(z.string()),
  /** ISO 8601. */
  at: z.string(),
  /** Its annotations ask for less care than before; they count once that is accepted, where they count at all. */
  isLessCareful: z.boolean(),
});

/** A caller's login to a remote server. */
const loginStatusSchema = z.object({
  /**
   * needed: the server asked for one · active: renewed by itself where `isRenewable` · expired: it ended and
   * cannot be renewed · revoked: the authority or the server no longer accepts it.
   */
  state: z.enum(['needed', 'active', 'expired', 'revoked']),
  callerId: z.string(),
  /** Who logged in, in the words of the authority, where it says so. */
  account: z.string().nullable(),
  /** The authority that issued the tokens. */
  issuer: z.string().nullable(),
  scopes: z.array(z.string()),
  /** Of the current access token, ISO 8601; null when the authority does not say. */
  expiresAt: z.string().nullable(),
  isRenewable: z.boolean(),
});

/** Something suspicious about the definition of a tool. */
const toolFlagSchema = z.object({
  tool: z.string(),
  kind: z.enum([
    'hidden characters',
    'terminal escapes',
    'look-alike name',
    'hidden instructions',
    'shadowing',
  ]),
  /** Completes "tool NAME: ". */
  message: z.string(),
});

/** How one server of the fleet is doing. */
export const serverStatusSchema = z.object({
  name: z.string(),
  transport: z.enum(['in-process', 'stdio', 'http', 'sse']),
  /**
   * idle: not started, will be at the first call · starting · ready · restarting: it ended and is started
   * again after a pause · crash-looping: it ended so often that the pauses are long · failed: it cannot be
   * used until its entry or the world changes; calls are refused at once, with the reason · disabled:
   * its entry says so · untrusted: an entry of a project that is not trusted.
   */
  state: z.enum([
    'idle',
    'starting',
    'ready',
    'restarting',
    'crash-looping',
    'failed',
    'disabled',
    'untrusted',
  ]),
  /** When it came into this state, ISO 8601. */
  since: z.string(),
  pid: z.int().nullable(),
  restarts: z.int(),
  lastError: z.string().nullable(),
  tools: z.int(),
  isListed: z
    .boolean()
    .describe('False where lists for MCP clients leave its tools out unless all are asked for.'),
  resources: z.int(),
  prompts: z.int(),
  calls: z.int(),
  failedCalls: z.int(),
  /** Of the latest calls; null when there were none. */
  p50Ms: z.number().nullable(),
  p99Ms: z.number().nullable(),
  /** Of its process and all below it; null where it has none of its own or it cannot be known. */
  memoryBytes: z.number().nullable(),
  /** What it negotiated; null before the first connection. */
  protocolVersion: z.string().nullable(),
  version: z.string().nullable(),
  /** Where its entry comes from. */
  source: z.enum(['built-in', 'user', 'project', 'flag']),
  /** Misbehaviour that was contained: `sent 3 lines that are no JSON`. */
  problems: z.array(z.string()),
  /** Tools that are not what they were when they were first seen or last accepted. */
  changedTools: z.array(toolChangeSchema),
  /** Nothing is blocked because of it. */
  flags: z.array(toolFlagSchema).describe('What is suspicious about its tools.'),
  login: loginStatusSchema
    .nullable()
    .describe('The login of the caller; null where none is needed.'),
});

export type ToolChange = DeepReadonly<z.output<typeof toolChangeSchema>>;
export type ToolFlag = DeepReadonly<z.output<typeof toolFlagSchema>>;
export type LoginStatus = DeepReadonly<z.output<typeof loginStatusSchema>>;
export type ServerStatus = DeepReadonly<z.output<typeof serverStatusSchema>>;
export type ServerState = ServerStatus['state'];
export type ServerTransport = ServerStatus['transport'];

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
