import type {
  AgentVersion,
  ExperimentPlan,
  Outcome,
  TaskClass,
} from '../../contract/agents/index.ts';
import type { Caller } from '../../contract/caller/index.ts';

/** A choice, with all that an estimate of another policy needs. */
export interface LoggedDecision {
  readonly kind: 'decision';
  readonly id: string;
  readonly atMs: number;
  readonly task: TaskClass;
  readonly chosen: AgentVersion;
  /** With the probabilities at that moment; those that could not be chosen have 0. */
  readonly candidates: readonly (AgentVersion & { readonly propensity: number })[];
  /** The decision that this version was run beside. */
  readonly shadowOf?: string;
}

export interface LoggedOutcome {
  readonly kind: 'outcome';
  readonly atMs: number;
  readonly outcome: Outcome;
}

/** A change of the version that does an agent's tasks, or of its experiment. */
export interface LoggedChange {
  readonly kind: 'change';
  readonly atMs: number;
  readonly event: 'started' | 'promoted' | 'rolled back';
  readonly plan: ExperimentPlan;
  readonly why: string;
}

export type ChoiceEntry = LoggedDecision | LoggedOutcome | LoggedChange;

/**
 * Decisions, outcomes and changes of versions in the order in which they happened; nothing is ever changed. A
 * caller sees its own only. Of decisions and outcomes the latest are kept, of changes all.
 */
export interface ChoiceLog {
  append(caller: Caller, entry: ChoiceEntry): Promise<void>;
  /** Oldest first. Numbers only grow. A read does not create the database. */
  read(
    caller: Caller,
    range: { readonly after: number; readonly limit: number },
  ): Promise<readonly { readonly number: number; readonly entry: ChoiceEntry }[]>;
}
