import type { Artifacts } from '../../contract/artifact/index.ts';
import type { Caller } from '../../contract/caller/index.ts';
import type { Contexts } from '../../contract/context/index.ts';
import type { ServerStatus } from '../../contract/fleet/index.ts';
import type { Models } from '../../contract/model/index.ts';
import type { RunView, Workflows } from '../../contract/run/index.ts';
import type { HideSecrets } from '../../contract/secret/index.ts';
import type { ClientPort } from '../../contract/server/index.ts';
import type { Memory } from '../../contract/session/index.ts';
import type { Log } from '../../kernel/index.ts';
import type { ReadFile } from '../answer/index.ts';
import type { Notes } from './notes.ts';
import type { ClarificationRules } from '../intent/index.ts';
import type { TaskLimits } from '../loop/index.ts';
import type { Planner, ProjectFiles } from '../planner/index.ts';
import type { AgentApproval, IsTrusted, ListChanges, ToolSource } from '../propose/index.ts';

/** What the agent is made of. It has no way to approve, deny, resolve or signal anything, nor to change settings. */
export interface AgentParts {
  readonly models: Pick<Models, 'find' | 'text' | 'structured' | 'linkBudgets'>;
  readonly memory: Pick<
    Memory,
    'sessions' | 'converse' | 'learn' | 'observe' | 'preferences' | 'settle' | 'forget'
  >;
  readonly contexts: Pick<Contexts, 'pack'>;
  /** What people ask to be remembered; without it only preferences are. */
  readonly notes?: Notes;
  readonly workflows: Pick<Workflows, 'check' | 'start' | 'show' | 'list' | 'cancel' | 'repair'>;
  readonly follow: FollowRun;
  readonly artifacts: () => Promise<Pick<Artifacts, 'get' | 'put'>>;
  readonly tools: ToolSource;
  readonly planner: () => Promise<Planner>;
  readonly files: ProjectFiles;
  /** The folder that "in this project" means; without it preferences hold everywhere. */
  readonly project?: () => Promise<string | undefined>;
  /** Texts of the project's files, to show what would change; without it results are shown whole. */
  readonly readFile?: ReadFile;
  /** Changes of the project's files that can be undone, latest first. */
  readonly changes?: ListChanges;
  /** Hides secrets in what is shown or sent to a model of the results; without it they are left as they are. */
  readonly hideSecrets?: () => Promise<HideSecrets>;
  readonly servers: () => Promise<
    readonly Pick<ServerStatus, 'name' | 'state' | 'tools' | 'lastError'>[]
  >;
  /** Why a run failed and what cured that before; without it only the error is shown. */
  readonly explainRun?: (caller: Caller, runId: string) => Promise<string>;
  /** The latest direct call of this folder that failed, with its cause; undefined when there is none. */
  readonly explainCall?: (
    caller: Caller,
  ) => Promise<{ readonly at: string; readonly text: string } | undefined>;
  readonly settings: AgentSettings;
  /** Servers we ship. */
  readonly isTrusted: IsTrusted;
  readonly log: Log;
}

/**
 * Waits until a run has ended or waits for a person. Where the client can put questions to a person, they
 * are asked for approvals there; what they say goes past the agent.
 */
export type FollowRun = (
  caller: Caller,
  runId: string,
  options: {
    readonly signal: AbortSignal;
    readonly onChange: (view: RunView) => void;
    readonly client?: ClientPort;
  },
) => Promise<RunView>;

export interface AgentSettings {
  readonly maxSteps: number;
  readonly optimizeChains: boolean;
  /** Which plans of a model are shown before they run; those of the planner always are. */
  readonly preview: 'effects' | 'always' | 'never';
  readonly approval: AgentApproval;
  readonly clarification: ClarificationRules;
  /** Where a request of several rounds stops. */
  readonly limits: TaskLimits;
  /** Of the conversation, in a request to a model. */
  readonly contextTokens: number;
  readonly contextTurns: number;
}
