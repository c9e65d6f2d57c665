import type { Agent } from '../contract/agent/index.ts';
import type { Catalogue, CatalogueEntry } from '../contract/catalogue/index.ts';
import type { ClientConnections } from '../contract/client-connection/index.ts';
import type { Check } from '../contract/doctor/index.ts';
import type { FleetControl } from '../contract/fleet/index.ts';
import type { LocalModels, Models } from '../contract/model/index.ts';
import type { Opening, StartConditions } from '../contract/opening/index.ts';
import type { EngineName, Workflows } from '../contract/run/index.ts';
import type { RestartReport, ServerFiles } from '../contract/server-files/index.ts';
import type { HideSecrets } from '../contract/secret/index.ts';
import type { Memory } from '../contract/session/index.ts';
import type { SettingRow } from '../contract/settings/index.ts';
import type { PreviewEffect } from '../contract/tool/index.ts';
import type { Log } from '../kernel/index.ts';

/** What the terminal needs of the composition root. */
export interface Compose {
  readonly openSystem: (options: SystemOptions) => Promise<System>;
  readonly loadSettingsOnly: (options: SystemOptions) => Promise<ShownSettings>;
  readonly openClientConnections: (options: SystemOptions) => Promise<ClientConnections>;
  readonly openServerFiles: (options: SystemOptions) => Promise<ServerFiles>;
  /** Has every Tutti process that runs on the same data directory restart a server. */
  readonly restartEverywhere: (
    options: SystemOptions,
    server: string,
    limitMs: number,
  ) => Promise<RestartReport>;
}

/** How much of the catalogue MCP clients see: all of it, or a few tools that find and call the others. */
export type Face = 'compact' | 'all' | 'auto';

export interface SystemOptions {
  /** Settings from the command line, by dotted key. */
  readonly flags: Readonly<Record<string, unknown>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Serve just these servers; with one, tools keep their bare names. */
  readonly only?: readonly string[];
  /** What clients of `serveStdio` see; `auto` decides by the number of tools. */
  readonly face?: Face;
  /** Where log lines go: to the log file alone, which is the default, or to stderr too. */
  readonly log?: 'stderr' | 'file';
  /** That of the process when not given. */
  readonly stderr?: { write(text: string): unknown };
}

/** The whole system, running in this process. */
export interface System {
  readonly settings: ShownSettings;
  readonly log: Log;
  readonly catalogue: Catalogue;
  readonly fleet: FleetControl;
  /** Plans and runs; nothing of it is loaded before it is used. */
  readonly workflows: Workflows;
  /** Shows what a call would do, for tools that change something and can tell. */
  readonly preview: PreviewEffect;
  /** From a message to a plan, a run and an answer; loaded when it is first used, as the next two are. */
  readonly agent: Agent;
  readonly memory: Memory;
  readonly models: Models;
  /** What was found on this machine, for the user to accept. */
  readonly localModels: LocalModels;
  /** Loads what hides secrets in what a terminal shows. */
  readonly hideSecrets: () => Promise<HideSecrets>;
  readonly version: string;
  readonly traces: Traces;
  /** The tools that fit what is to be done, best first. */
  readonly findTools: (query: string, count: number) => Promise<readonly CatalogueEntry[]>;
  formatTrace(spans: readonly Span[]): string;
  backup(target: string, options: { readonly force: boolean }): Promise<Backup>;
  doctor(): Promise<readonly Check[]>;
  /** What the first answers to clients depend on. */
  startConditions(): StartConditions;
  /** Speaks MCP on the streams until the input ends or the signal aborts. */
  serveStdio(streams: StdioStreams): Promise<void>;
  serveHttp(options: { readonly host?: string; readonly port?: number }): Promise<Listener>;
  /** Executes runs, those left unfinished included, until the signal aborts. */
  work(options: WorkOptions): Promise<void>;
  close(): Promise<void>;
}

export interface WorkOptions {
  /** The setting decides when not given. */
  readonly engine?: EngineName;
  readonly signal: AbortSignal;
  /** Called once, when runs are taken. */
  readonly onReady: (worker: WorkerDescription) => void;
}

export interface WorkerDescription {
  readonly engine: EngineName;
  /** Where Restate reaches it; null for the embedded engine, which nobody needs to reach. */
  readonly url: string | null;
}

export interface ShownSettings {
  readonly warnings: readonly string[];
  describe(): readonly SettingRow[];
}

export interface Traces {
  /** The spans of the trace with this id or unique beginning of it; none when it is unknown. */
  find(id: string): Promise<readonly Span[]>;
  /** The latest traces, newest first. */
  recent(limit: number): Promise<readonly TraceSummary[]>;
}

export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly name: string;
}

export interface TraceSummary {
  readonly traceId: string;
  readonly name: string;
  readonly startedAtUs: number;
  readonly durationUs: number;
  readonly spans: number;
  readonly errors: number;
  readonly isFailed: boolean;
  readonly runId: string | null;
}

export interface Backup {
  readonly path: string;
  readonly bytes: number;
}

export interface StdioStreams {
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: NodeJS.WritableStream;
  /** Ends serving when it aborts: calls that run are stopped, unanswered. */
  readonly signal?: AbortSignal | undefined;
  /** What was read and answered before. */
  readonly opening?: Opening | undefined;
}

export interface Listener {
  readonly url: string;
  /** Holds the token that was made because none is configured. */
  readonly tokenFile?: string;
  close(): Promise<void>;
}
