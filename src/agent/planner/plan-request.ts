import type { CatalogueEntry } from '../../contract/catalogue/index.ts';
import type { Plan } from '../../contract/plan/index.ts';
import type { Remembered, Turn } from '../../contract/session/index.ts';

/** Something given along with the message. */
export interface GivenAttachment {
  /** `code`, `tests`, `spec`, `text` …; told from the name and the content when not given. */
  readonly kind?: string;
  readonly name?: string;
  readonly language?: string;
  readonly content?: string;
}

export interface PlanningRequest {
  readonly message: string;
  /** What the plan may use. */
  readonly tools: readonly CatalogueEntry[];
  readonly attachments: readonly GivenAttachment[];
  /** Newest first. */
  readonly remembered: readonly Remembered[];
  /** Oldest first. */
  readonly history: readonly Turn[];
  readonly maxSteps: number;
  readonly signal: AbortSignal;
}

export interface Candidate {
  readonly plan: Plan;
  /** From 0 to 1. */
  readonly confidence: number;
  /** How the message was read, for a person. */
  readonly why: string;
}

/** What the planner makes of a message. A plan passes the workflow's type check for the tools it was given. */
export type PlanningAnswer =
  /** At most three, best first. */
  | { readonly kind: 'plan'; readonly candidates: readonly Candidate[] }
  /** One to three questions; the candidates are what may be meant, and may be none. */
  | {
      readonly kind: 'question';
      readonly questions: readonly string[];
      readonly candidates: readonly Candidate[];
    }
  | {
      readonly kind: 'refusal';
      readonly reason: string;
      /** Tools that come nearest to what was asked for. */
      readonly nearest: readonly string[];
    };

export interface Planner {
  plan(request: PlanningRequest): Promise<PlanningAnswer>;
}
