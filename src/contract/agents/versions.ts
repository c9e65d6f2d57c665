import type { Caller } from '../caller/index.ts';
import type { AgentVersion } from './choice.ts';

export interface ExperimentPlan {
  readonly agent: string;
  readonly current: string;
  readonly candidate: string;
  /** shadow: it runs beside the current version, without effects · share: it does a share of the tasks. */
  readonly mode: 'shadow' | 'share';
  /** 0.01 to 0.5; the setting `agents.versions.share` where absent. */
  readonly share?: number;
}

/** An interval that holds at every moment at once: looking early and often does not make it wrong. */
export interface Interval {
  readonly low: number;
  readonly high: number;
  readonly confidence: number;
}

export type VersionDecision = 'continue' | 'promote' | 'roll back';

export interface Guardrail {
  readonly metric: 'cost' | 'time' | 'refusals';
  readonly current: number | null;
  readonly candidate: number | null;
  readonly isBroken: boolean;
}

export interface Comparison {
  readonly current: AgentVersion;
  readonly candidate: AgentVersion;
  readonly outcomes: { readonly current: number; readonly candidate: number };
  /** Success of the candidate minus that of the current version; null before there are outcomes of both. */
  readonly effect: number | null;
  readonly interval: Interval;
  readonly guardrails: readonly Guardrail[];
  readonly decision: VersionDecision;
  /** One sentence. */
  readonly why: string;
}

export interface VersionStatus {
  readonly agent: string;
  /** The version that does the tasks; null: no version was promoted yet. */
  readonly current: string | null;
  readonly experiment: (ExperimentPlan & { readonly startedAt: string }) | null;
  readonly history: readonly {
    readonly at: string;
    readonly event: 'started' | 'promoted' | 'rolled back';
    readonly from: string;
    readonly to: string;
    readonly why: string;
  }[];
}

/** Versions of agents, compared on real tasks. Callers see and change their own experiments only. */
export interface AgentVersions {
  /** Throws `agents.experiment_running`, `agents.invalid_experiment`. */
  start(caller: Caller, plan: ExperimentPlan): Promise<VersionStatus>;
  /** From the log; changes nothing. */
  compare(caller: Caller, current: AgentVersion, candidate: AgentVersion): Promise<Comparison>;
  /** Promotes or rolls back what the evidence says, in all experiments; those decided now. */
  decide(caller: Caller): Promise<readonly Comparison[]>;
  /** Ends the experiment, or goes back to the version before. Throws `agents.nothing_to_roll_back`. */
  rollback(caller: Caller, agent: string, why: string): Promise<VersionStatus>;
  status(caller: Caller): Promise<readonly VersionStatus[]>;
}
