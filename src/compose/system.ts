import type { LoadedSettings } from '../config/index.ts';
import type {
  AccessPolicy,
  ApiKeys,
  AuditEntry,
  AuditLog,
  Tenants,
} from '../contract/access/index.ts';
import type { Agents } from '../contract/agents/index.ts';
import type { Agent } from '../contract/agent/index.ts';
import type { Catalogue, CatalogueEntry } from '../contract/catalogue/index.ts';
import type { Check } from '../contract/doctor/index.ts';
import type { Experience } from '../contract/experience/index.ts';
import type { FleetControl } from '../contract/fleet/index.ts';
import type { Instances } from '../contract/instance/index.ts';
import type { MemoryItems } from '../contract/memory/index.ts';
import type { LocalModels, Models } from '../contract/model/index.ts';
import type { StartConditions } from '../contract/opening/index.ts';
import type { Contexts } from '../contract/context/index.ts';
import type { Feedback } from '../contract/feedback/index.ts';
import type { Workflows } from '../contract/run/index.ts';
import type { HideSecrets } from '../contract/secret/index.ts';
import type { Memory } from '../contract/session/index.ts';
import type { PreviewEffect } from '../contract/tool/index.ts';
import type { Log } from '../kernel/index.ts';
import type {
  FoundTrace,
  SpanRecord,
  TraceExplanation,
  TraceQuery,
  TraceSummary,
  UsageKind,
  UsageLine,
} from '../observe/index.ts';
import type { AlertsHere } from './alerts.ts';
import type { Face } from './choose-face.ts';
import type { StdioStreams } from './faces.ts';
import type { HttpListener } from './serve-http.ts';
import type { SettingsRequest } from './settings.ts';
import type { WorkOptions } from './workflow.ts';

export interface SystemRequest extends SettingsRequest {
  /** Serve just these servers; with one, tools keep their bare names. */
  readonly only?: readonly string[];
  /** What clients of `serveStdio` see: every tool, or a few that find and call the others. */
  readonly face?: Face;
  readonly log?: 'stderr' | 'file';
  /** That of the process when not given. */
  readonly stderr?: { write(text: string): unknown };
}

/** The part of the settings that may be shown: secrets are hidden. */
export type ShownSettings = Pick<LoadedSettings, 'warnings' | 'describe'>;

/** Everything a face may ask for. */
export interface System {
  readonly settings: ShownSettings;
  readonly log: Log;
  readonly catalogue: Catalogue;
  readonly fleet: FleetControl;
  /** Plans and runs; nothing of it is loaded before it is used. */
  readonly workflows: Workflows;
  /** What was decided, for people who look later. */
  readonly audit: AuditLog;
  /** An entry of it in the schema of OCSF. */
  readonly ocsfEvent: (entry: AuditEntry) => Readonly<Record<string, unknown>>;
  /** Shows what a call would do, for tools that change something and can tell. */
  readonly preview: PreviewEffect;
  /** From a message to a plan, a run and an answer; loaded when it is first used, as the next two are. */
  readonly agent: Agent;
  readonly agents: Agents;
  readonly memory: Memory;
  readonly contexts: Contexts;
  readonly feedback: Feedback;
  readonly memoryItems: MemoryItems;
  readonly experience: Experience;
  readonly models: Models;
  /** What was found on this machine, for the user to accept. */
  readonly localModels: LocalModels;
  /** Loads what hides secrets in what a terminal shows. */
  readonly hideSecrets: () => Promise<HideSecrets>;
  /** Who else may call, and the switch that ends that. */
  readonly keys: ApiKeys;
  /** Switches a server off or on at the machine that serves it; of a remote system alone. */
  readonly switchServer?: (name: string, isEnabled: boolean) => Promise<void>;
  readonly tenants: Tenants;
  readonly policy: AccessPolicy;
  readonly version: string;
  /** The project that is worked in; undefined where the system is on another machine. */
  readonly folder: () => Promise<string | undefined>;
  /** The tools that fit what is to be done, best first. */
  readonly findTools: (query: string, count: number) => Promise<readonly CatalogueEntry[]>;
  readonly traces: {
    find(id: string): Promise<readonly SpanRecord[]>;
    recent(limit: number): Promise<readonly TraceSummary[]>;
    search(query: TraceQuery): Promise<readonly FoundTrace[]>;
    /** By its id, the beginning of it, or `last`. */
    explain(id: string): Promise<TraceExplanation>;
  };
  readonly instances: Instances;
  readonly alerts: Pick<AlertsHere, 'list' | 'test' | 'silence' | 'names'>;
  readonly usage: {
    readonly kinds: readonly UsageKind[];
    summarize(options: {
      readonly by: UsageKind;
      readonly sinceMs: number;
    }): Promise<readonly UsageLine[]>;
  };
  formatTrace(spans: readonly SpanRecord[]): string;
  formatExplanation(explained: TraceExplanation): string;
  backup(
    target: string,
    options: { readonly force: boolean },
  ): Promise<{ path: string; bytes: number }>;
  doctor(): Promise<readonly Check[]>;
  /** What the first answers to clients depend on. */
  startConditions(): StartConditions;
  serveStdio(streams: StdioStreams): Promise<void>;
  /** On the address of the settings. */
  serveHttp(): Promise<HttpListener>;
  /** Executes runs until the signal aborts. */
  work(options: WorkOptions): Promise<void>;
  close(): Promise<void>;
}
