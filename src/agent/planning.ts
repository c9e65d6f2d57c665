import type { CatalogueEntry } from '../contract/catalogue/index.ts';
import type { Attachment, PlanCandidate } from '../contract/agent/index.ts';
import type { AboutTopic } from './planner/lexicon.ts';
import type { Remembered, Turn } from '../contract/session/index.ts';

/** Something given along with the message; `kind` (`code`, `tests`, `spec` …) is told from the name when not given. */
export type GivenAttachment = Partial<Record<'kind' | keyof Attachment, string | undefined>>;

export interface PlanningRequest {
  readonly message: string;
  /** What the plan may use. */
  readonly tools: readonly CatalogueEntry[];
  readonly attachments: readonly GivenAttachment[];
  /** Newest first; `path` is the file that it was made of. */
  readonly remembered: readonly (Remembered & { readonly path?: string })[];
  /** Oldest first. */
  readonly history: readonly Turn[];
  readonly files: ProjectFiles;
  /** Servers we ship: their tools go before those of others that do the same. */
  readonly isOwn: (server: string) => boolean;
  readonly maxSteps: number;
  readonly signal: AbortSignal;
}

/** The user's project as far as a plan may look at it: inside the roots, no link out of them is followed. */
export interface ProjectFiles {
  /** What a path, relative to the roots or absolute, is; undefined when there is nothing inside them. */
  kind(path: string): Promise<'file' | 'folder' | undefined>;
  /** Paths of files in a stable order, shallow ones first, without dependencies and build output. */
  list(limit: number): Promise<readonly string[]>;
}

/** What the planner makes of a message. A plan passes the workflow's type check for the tools it was given. */
export type PlanningAnswer =
  /** One when there is no doubt, else up to three readings, best first. */
  | {
      readonly kind: 'plan';
      readonly candidates: readonly PlanCandidate[];
      /** Words that the first reading does not account for. */
      readonly notUnderstood?: readonly string[];
    }
  /** One to three questions; the candidates are what may be meant, and may be none. */
  | {
      readonly kind: 'question';
      readonly questions: readonly string[];
      readonly candidates: readonly PlanCandidate[];
    }
  /** `isFinal` where no model would help either; `offers` are requests for what helps instead. */
  | {
      readonly kind: 'refusal';
      readonly reason: string;
      readonly isFinal?: true;
      readonly offers?: readonly string[];
    }
  /** A wish about Tutti itself, which needs no plan. */
  | { readonly kind: 'about'; readonly topic: AboutTopic };

export interface Planner {
  plan(request: PlanningRequest): Promise<PlanningAnswer>;
}
