import type { FleetEntry } from '../fleet/index.ts';

/** The files that name servers and models: shows and changes them, and starts nothing. */
export interface ServerFiles {
  /** The user's own file, whether it exists or not. */
  readonly userFile: string;
  readonly entries: readonly FleetEntry[];
  /** The file of the project with its servers; undefined when there is none. */
  readonly project: ProjectServers | undefined;
  /** Agent files of the folder, which count once they are trusted as they are. */
  readonly agents: ProjectAgentFiles | undefined;
  /** Makes the edits, all or none, and says in which file. */
  edit(target: 'user' | 'project', edits: readonly ServerEdit[]): Promise<string>;
  /** A short `prefix` for a server whose name is long; undefined where it is not. */
  proposePrefix(name: string): string | undefined;
  /** Trusts the project as `project` shows it. */
  trust(): Promise<void>;
  /** Takes the trust in the project back and says whether there was any. */
  revoke(): Promise<boolean>;
  trusted(): Promise<readonly TrustedProject[]>;
  /** What an import would do; writes nothing. */
  planImport(from: ImportSource): Promise<ImportPlan>;
  /** Writes a first file for the user, unless there is one. Says whether it did. */
  createUserFile(): Promise<boolean>;
  /** Names a model in the user's file (`models.providers`), in place of one of that name. */
  connectModel(name: string, entry: Readonly<Record<string, unknown>>): Promise<void>;
}

/** What to do with one entry of `mcpServers`. */
export type ServerEdit =
  | {
      readonly kind: 'add';
      readonly name: string;
      readonly entry: Readonly<Record<string, unknown>>;
    }
  | { readonly kind: 'remove' | 'enable' | 'disable'; readonly name: string };

/** A project whose servers the user allowed to start, as they were then. */
export interface TrustedProject {
  /** Its `tutti.yaml`. */
  readonly file: string;
  readonly digest: string;
  /** ISO 8601. */
  readonly trustedAt: string;
}

/** A project's file, and what of it counts only once it is trusted. */
export interface ProjectServers {
  readonly file: string;
  readonly isTrusted: boolean;
  readonly servers: readonly ShownServer[];
  readonly settings: readonly { readonly key: string; readonly value: unknown }[];
  /** Files of the project that its servers run or are given: a change of one voids the trust. */
  readonly files: readonly string[];
}

/** What `.tutti/agents` holds. */
export interface ProjectAgentFiles {
  readonly folder: string;
  readonly files: readonly string[];
  readonly isTrusted: boolean;
}

/** What a project would start or reach, word for word; the values of `headers` left out. */
export interface ShownServer {
  readonly name: string;
  readonly command?: string;
  readonly args?: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly url?: string;
  readonly headers?: readonly string[];
  /** Variables and files it is given. */
  readonly given: readonly string[];
  /** The user has a server of this name, which this one would take the place of. */
  readonly isReplacing: boolean;
  /** Its entry says `trustAnnotations`: what it says about its tools lowers what is asked about. */
  readonly isBelieved: boolean;
}

/** MCP clients whose settings files we read and write. */
export const clientTitles = {
  'claude-desktop': 'Claude Desktop',
  'claude-code': 'Claude Code',
  cursor: 'Cursor',
  vscode: 'VS Code',
  windsurf: 'Windsurf',
  zed: 'Zed',
  codex: 'Codex',
  gemini: 'Gemini CLI',
} as const;

export type ClientName = keyof typeof clientTitles;

export interface ImportSource {
  /** Of this client only. */
  readonly client?: ClientName | undefined;
  /** From this file, in place of where clients keep theirs. */
  readonly file?: string | undefined;
  /** Servers that files of the project in the current folder name, too. */
  readonly withProject?: boolean | undefined;
}

/** A server in the configuration of another client. */
export interface FoundServer {
  readonly name: string;
  /** `file` for a file that was named. */
  readonly client: ClientName | 'file';
  readonly file: string;
}

/** A server that would be added. `entry` may hold secrets: it is written, and not shown. */
export interface NewServer extends FoundServer {
  readonly entry: Readonly<Record<string, unknown>>;
  /** What would be started or reached, without secrets. */
  readonly target: string;
  /** What the user has to see to, as sentences. */
  readonly notes: readonly string[];
}

/** What an import would do. */
export interface ImportPlan {
  /** Files of clients that are there and could be read. */
  readonly files: readonly Omit<FoundServer, 'name'>[];
  readonly added: readonly NewServer[];
  /** The same server is there already. */
  readonly duplicates: readonly FoundServer[];
  readonly unusable: readonly UnusableServer[];
}

export interface UnusableServer extends FoundServer {
  readonly reason: string;
  /** The entry is Tutti itself. */
  readonly isTutti?: boolean;
}

/** What the running processes made of a request to restart a server. */
export interface RestartReport {
  /** Running processes that were asked. */
  readonly processes: number;
  readonly answers: readonly RestartAnswer[];
}

export interface RestartAnswer {
  readonly pid: number;
  readonly isDone: boolean;
  readonly message: string;
}
