import type { Caller } from '../caller/index.ts';
import type { Plan } from '../plan/index.ts';
import type { RunView } from '../run/index.ts';
import type { ClientPort } from '../server/index.ts';

/** Something given along with a message: the text of a file, or code that was pasted. */
export interface Attachment {
  /** The path or a title. */
  readonly name: string;
  readonly content: string;
  readonly language?: string;
}

export interface AskRequest {
  readonly caller: Caller;
  readonly message: string;
  /** An id, a unique beginning of it, `last`; a new session when not given. */
  readonly session?: string;
  readonly attachments?: readonly Attachment[];
  /** A context to answer with: an id, a unique beginning of one, or a name. It is data and changes nothing that may be called. */
  readonly context?: string;
  /** Gives the plan and runs nothing. */
  readonly planOnly?: boolean;
  /** Takes the preview as accepted. An effect's own approval is never taken so. */
  readonly acceptPreview?: boolean;
}

export interface AskOptions {
  /** Cancels the run and ends the turn; the session lives on. */
  readonly signal: AbortSignal;
  readonly onEvent?: (event: AgentEvent) => void;
  /** Whom to put questions to, and whose model to ask, when it came over MCP. */
  readonly client?: ClientPort;
}

/** What the agent takes a message to be (MISSION B2). */
export interface Intent {
  readonly primary_goal: string;
  readonly tools_needed: readonly string[];
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly needs_clarification: boolean;
  readonly unclear_aspects: readonly string[];
  /** From 0 to 1. */
  readonly confidence: number;
  /** What to do next depends on what is found: it takes several rounds. */
  readonly open_ended?: boolean;
  /** The user's words ask for files of the project to be changed. */
  readonly changes_files?: boolean;
}

export type AgentEvent =
  | { readonly kind: 'session'; readonly sessionId: string }
  | { readonly kind: 'intent'; readonly intent: Intent }
  | { readonly kind: 'plan'; readonly proposal: Proposal }
  /** The run as it stands, each time something changed. */
  | { readonly kind: 'run'; readonly run: RunView }
  /** A piece of the answer, as it is made; Markdown where a model wrote it. */
  | { readonly kind: 'text'; readonly text: string; readonly isMarkdown?: true }
  /** The answer so far is void and starts anew. */
  | { readonly kind: 'restart' }
  | { readonly kind: 'notice'; readonly text: string };

/** A plan that passed the type check. */
export interface Proposal {
  readonly plan: Plan;
  /** From 0 to 1. */
  readonly confidence: number;
  /** Made by a model, or by the planner that needs none. */
  readonly madeBy: 'model' | 'planner';
  /** Other readings of the message, best first; empty when the planner is sure. */
  readonly others: readonly PlanCandidate[];
  /** Words of the message that the plan does not account for. */
  readonly notUnderstood?: readonly string[];
}

/** A plan of one call that needs approval: the approval shows all there is to decide, so it is the only question. */
export function isOneEffect({ steps }: Plan): boolean {
  const [only, another] = steps;
  const asks = only?.approval !== undefined && only.approval !== false;
  return asks && another === undefined && only.forEach === undefined;
}

/** One reading of a message as a whole plan. */
export interface PlanCandidate {
  readonly plan: Plan;
  /** How the message was read, for a person; empty for a model's plan. */
  readonly why: string;
  /** From 0 to 1. */
  readonly confidence: number;
}

interface OutcomeBase {
  readonly sessionId: string;
  readonly confidence: number;
  /** The model that took part; null when none did, which the text says. */
  readonly model: string | null;
}

/** The outcome of a message. */
export type AskOutcome =
  /** A plan that waits to be accepted (or was only asked for). */
  | (OutcomeBase & {
      readonly kind: 'plan';
      readonly plan: Plan;
      /** `plan` first. One: no doubt. Two or three: readings the user chooses from by number. */
      readonly candidates: readonly PlanCandidate[];
      /** Words of the message that `plan` does not account for. */
      readonly notUnderstood?: readonly string[];
      /** What it would do, for a person. */
      readonly preview: string;
      readonly madeBy: 'model' | 'planner';
    })
  | (OutcomeBase & {
      readonly kind: 'question';
      readonly questions: readonly string[];
      /** Plans the message may mean, best first; each may still lack what is asked for. */
      readonly candidates: readonly PlanCandidate[];
      /** A run that waits for an approval or an answer. */
      readonly runId?: string;
    })
  | (OutcomeBase & { readonly kind: 'refusal'; readonly reason: string })
  | (OutcomeBase & {
      readonly kind: 'answer';
      readonly answer: string;
      readonly plan?: Plan;
      readonly runId?: string;
      /** How the run ended; an answer about a failed one says so. */
      readonly runStatus?: RunView['status'];
      /** A limit ended a task of several rounds before the model called it done. */
      readonly isStopped?: boolean;
    });

/** From a message to a plan, a run and an answer. Errors have codes `agent.…`. */
export interface Agent {
  ask(request: AskRequest, options: AskOptions): Promise<AskOutcome>;
}
