import type { Agents } from '../contract/agents/index.ts';
import type { Agent } from '../contract/agent/index.ts';
import type { AccessPolicy, ApiKeys, AuditLog, Tenants } from '../contract/access/index.ts';
import type { AnswerStore } from '../contract/answer/index.ts';
import type { Artifacts } from '../contract/artifact/index.ts';
import type { Caller } from '../contract/caller/index.ts';
import type { Catalogue, CatalogueEntry } from '../contract/catalogue/index.ts';
import type { Contexts } from '../contract/context/index.ts';
import type { Feedback } from '../contract/feedback/index.ts';
import type { Experience } from '../contract/experience/index.ts';
import type { FleetControl } from '../contract/fleet/index.ts';
import type { Instances } from '../contract/instance/index.ts';
import type { MemoryItems } from '../contract/memory/index.ts';
import type { Models } from '../contract/model/index.ts';
import type { Workflows } from '../contract/run/index.ts';
import type { Memory } from '../contract/session/index.ts';
import type { Log } from '../kernel/index.ts';
import type { SpanRecord, TraceSummary, UsageKind, UsageLine } from '../observe/index.ts';

/** What the API is a face of. Every port that touches user data takes the caller. */
export interface ApiPorts {
  readonly version: string;
  readonly log: Log;
  readonly agent: Agent;
  readonly agents: Agents;
  readonly workflows: Workflows;
  readonly memory: Memory;
  readonly contexts: Contexts;
  readonly feedback: Feedback;
  readonly memoryItems: MemoryItems;
  readonly experience: Experience;
  readonly artifacts: () => Promise<Artifacts>;
  /** All tools, whatever MCP clients are shown. */
  readonly catalogue: Catalogue;
  readonly findTools: (query: string, count: number) => Promise<readonly CatalogueEntry[]>;
  readonly fleet: FleetControl;
  readonly models: Pick<Models, 'list'>;
  readonly instances: Instances;
  readonly traces: {
    find(caller: Caller, id: string): Promise<readonly SpanRecord[]>;
    recent(caller: Caller, limit: number): Promise<readonly TraceSummary[]>;
  };
  /** What the caller called, from its traces. */
  readonly summarizeUsage: (
    caller: Caller,
    options: { readonly by: UsageKind; readonly sinceMs: number },
  ) => Promise<readonly UsageLine[]>;
  /** Switches a server off or on in the settings of this machine, which define it. Absent where that cannot be done. */
  readonly switchServer?: (caller: Caller, name: string, isEnabled: boolean) => Promise<void>;
  /** Answers of requests that carried an `Idempotency-Key`. */
  readonly answers: AnswerStore;
  /** Absent where this server has no keys of its own. */
  readonly keys?: ApiKeys | undefined;
  readonly tenants?: Tenants | undefined;
  readonly policy?: AccessPolicy | undefined;
  readonly audit?: AuditLog | undefined;
  readonly limits?: Partial<ApiLimits>;
}

/** Every limit of the API, by name and unit; those of the listener come on top. */
export interface ApiLimits {
  readonly maxRequestBytes: number;
  /** Levels of objects and lists in a body. */
  readonly maxBodyDepth: number;
  /** Open event streams, of all callers and of one. */
  readonly maxStreams: number;
  readonly maxStreamsPerCaller: number;
  /** Interval of the comments that keep proxies from closing a silent stream. */
  readonly streamHeartbeatMs: number;
  /** Unread bytes after which a stream is closed. */
  readonly maxStreamBacklogBytes: number;
  /** Turns of the agent that run at once, of all callers and of one. */
  readonly maxTurns: number;
  readonly maxTurnsPerCaller: number;
  /** Events of a turn that are kept to be sent again; beyond it only its outcome is sent. */
  readonly maxTurnChars: number;
  /** How long the events of a turn can be read after its end. */
  readonly keepTurnMs: number;
  /** How often a run that waits for a person is looked at for its event streams. */
  readonly idleRunPollMs: number;
}

export const defaultApiLimits: ApiLimits = {
  maxRequestBytes: 4 * 1024 * 1024,
  maxBodyDepth: 100,
  maxStreams: 10_000,
  maxStreamsPerCaller: 1_000,
  streamHeartbeatMs: 15_000,
  maxStreamBacklogBytes: 1024 * 1024,
  maxTurns: 500,
  maxTurnsPerCaller: 20,
  maxTurnChars: 512 * 1024,
  keepTurnMs: 600_000,
  idleRunPollMs: 1_000,
};
