import type { Caller } from '../caller/index.ts';

/** One version of one agent. */
export interface AgentVersion {
  readonly agent: string;
  readonly version: string;
}

/** What a task is like. Tasks with the same values are a class; a sparse class borrows from the one with fewer values. */
export interface TaskClass {
  /** `noun.verb`, for example `tests.write`. */
  readonly capability: string;
  readonly language?: string;
  readonly kind?: string;
  readonly size?: string;
  readonly project?: string;
}

/** A version that has the capability and may be called: the caller of `choose` made sure of both. */
export interface Candidate extends AgentVersion {
  /** 0: does not work, 1: works. */
  readonly health: number;
  /** 0: idle, 1: can take no more work. */
  readonly load: number;
  /** Expected for this task. */
  readonly costUsd?: number;
  readonly latencyMs?: number;
}

export interface ChoiceRequest {
  readonly caller: Caller;
  readonly task: TaskClass;
  readonly candidates: readonly Candidate[];
  /** False where the task may have effects: then the best known candidate is chosen, and nothing is tried out. */
  readonly mayExplore: boolean;
}

export const criteria = ['success', 'health', 'load', 'cost', 'latency'] as const;
export type Criterion = (typeof criteria)[number];

export interface ScoredCandidate extends AgentVersion {
  /** The weighted mean of the criteria; while exploring is allowed, an uncertain success counts as a better one. */
  readonly score: number;
  /** 0 to 1, larger is better. */
  readonly criteria: Readonly<Record<Criterion, number>>;
  /** How many outcomes the success rests on, those of similar classes and old ones counted in part. */
  readonly outcomes: number;
  /** The probability with which it was chosen. */
  readonly propensity: number;
}

export interface Choice {
  readonly decisionId: string;
  readonly chosen: AgentVersion;
  /** The exact probability with which it was chosen among the candidates. */
  readonly propensity: number;
  /** Every candidate of the request once: the chosen one, then the others by their score. For failover. */
  readonly order: readonly ScoredCandidate[];
  /** One sentence. */
  readonly why: string;
  /** Another agent has a better score: this one was drawn to learn about it. */
  readonly explored: boolean;
  /** Run beside the chosen one, without effects, to compare versions; its outcome is recorded under its own id. */
  readonly shadow?: AgentVersion & { readonly decisionId: string };
}

/**
 * Strongest last: an outcome of a decision replaces an earlier one whose evidence is not stronger. The last two are the
 * word of a person, of which the latest counts; a task that fails after it was approved has failed.
 */
export const evidenceKinds = [
  'answered',
  'refused',
  'failed',
  'check',
  'tests',
  'verified',
  'feedback',
  'person',
] as const;
export type EvidenceKind = (typeof evidenceKinds)[number];

export interface Outcome {
  readonly decisionId: string;
  /** 0: failed, 1: succeeded. */
  readonly success: number;
  readonly evidence: EvidenceKind;
  readonly costUsd?: number;
  readonly durationMs?: number;
  /** It arrived after the task had ended. */
  readonly isDelayed?: boolean;
  /** The candidate that did the task where it is not the chosen one: the chosen one failed over to it. */
  readonly doneBy?: AgentVersion;
}

/**
 * Chooses among candidates and learns from outcomes. What is learned changes their order, never which candidates
 * there are. Callers learn separately.
 */
export interface Chooser {
  /** Throws `agents.no_candidates`, `agents.invalid_choice`. */
  choose(request: ChoiceRequest): Promise<Choice>;
  /** What `choose` would prefer and why; records nothing. */
  explain(request: ChoiceRequest): Promise<Choice>;
  /** Throws `agents.unknown_decision`, `agents.invalid_choice`. */
  record(caller: Caller, outcome: Outcome): Promise<void>;
}
