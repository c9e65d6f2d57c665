import {
  type AgentVersion,
  type EvidenceKind,
  evidenceKinds,
  type ExperimentPlan,
  type Outcome,
  type TaskClass,
} from '../../contract/agents/index.ts';
import type { Caller } from '../../contract/caller/index.ts';
import { Beliefs } from './beliefs.ts';
import type {
  ChoiceEntry,
  ChoiceLog,
  LoggedChange,
  LoggedDecision,
  LoggedOutcome,
} from './choice-log.ts';

/** A decision and what it led to. */
export interface Result {
  readonly decision: LoggedDecision;
  /** The latest that counts. */
  readonly outcome: Outcome;
}

/** The versions of one agent. */
export interface Course {
  readonly current: string | null;
  readonly experiment: { readonly plan: ExperimentPlan; readonly startedAtMs: number } | null;
  readonly changes: readonly LoggedChange[];
}

const noCourse: Course = { current: null, experiment: null, changes: [] };

/** What the log of one caller says, brought up to date by reading on: also after what other processes added. */
export class History {
  readonly beliefs = new Beliefs();
  readonly #log: ChoiceLog;
  readonly #caller: Caller;
  readonly #courses = new Map<string, Course>();
  readonly #decisions = new Map<string, LoggedDecision>();
  /** By decision and version, in the order of their first outcomes. */
  readonly #results = new Map<string, Result>();
  /** What tasks cost and took, by version and capability. */
  readonly #usual = new Map<string, Usual>();
  #last = 0;

  constructor(log: ChoiceLog, caller: Caller) {
    this.#log = log;
    this.#caller = caller;
  }

  get results(): Iterable<Result> {
    return this.#results.values();
  }

  get courses(): ReadonlyMap<string, Course> {
    return this.#courses;
  }

  course(agent: string): Course {
    return this.#courses.get(agent) ?? noCourse;
  }

  decision(id: string): LoggedDecision | undefined {
    return this.#decisions.get(id);
  }

  /** What a task is expected to cost and take, where earlier ones say so. */
  usual(version: AgentVersion, { capability }: TaskClass): Usual {
    return this.#usual.get(usualKey(version, capability)) ?? {};
  }

  async catchUp(): Promise<void> {
    const limit = agentsLimits.maxPage;
    // Ends: numbers only grow, and a page that is not full is the last.
    for (;;) {
      const page = await this.#log.read(this.#caller, { after: this.#last, limit });
      for (const { number, entry } of page) {
        // Another reading may have come first.
        if (number <= this.#last) continue;
        this.#last = number;
        this.#add(entry);
      }
      if (page.length < limit) return;
    }
  }

  #add(entry: ChoiceEntry): void {
    switch (entry.kind) {
      case 'decision':
        this.#decisions.set(entry.id, entry);
        forgetOldest(this.#decisions);
        return;
      case 'outcome':
        this.#addOutcome(entry);
        return;
      case 'change':
        this.#addChange(entry);
    }
  }

  #addOutcome({ outcome }: LoggedOutcome): void {
    const decision = this.#decisions.get(outcome.decisionId);
    // Decided longer ago than decisions are kept.
    if (!decision) return;
    const candidate = outcome.doneBy ?? decision.chosen;
    const key = `${decision.id} ${candidate.agent}@${candidate.version}`;
    const lesson = { candidate, task: decision.task, success: outcome.success };
    const before = this.#results.get(key);
    const place = usualKey(candidate, decision.task.capability);
    // An opinion has neither cost nor duration, and may come before the end of its task.
    if (before?.outcome.durationMs === undefined && before?.outcome.costUsd === undefined)
      this.#usual.set(place, average(this.#usual.get(place), outcome));
    const counts = !before || replaces(outcome, before.outcome);
    if (!before) this.beliefs.learn(lesson);
    else if (counts) this.beliefs.relearn(lesson, before.outcome.success);
    const both = counts ? { ...before?.outcome, ...outcome } : { ...outcome, ...before.outcome };
    this.#results.set(key, { decision, outcome: both });
    forgetOldest(this.#results);
  }

  #addChange(change: LoggedChange): void {
    const { event, plan, atMs } = change;
    const course = this.course(plan.agent);
    const changes = [...course.changes, change].slice(-agentsLimits.maxChanges);
    this.#courses.set(plan.agent, {
      current: event === 'promoted' ? plan.candidate : plan.current,
      experiment: event === 'started' ? { plan, startedAtMs: atMs } : null,
      changes,
    });
  }
}

interface Usual {
  readonly costUsd?: number;
  readonly latencyMs?: number;
}

/** Of a new value in what is usual. */
const newShare = 0.2;

function average(before: Usual = {}, { costUsd, durationMs }: Outcome): Usual {
  const mix = (old: number | undefined, value: number): number =>
    old === undefined ? value : old + newShare * (value - old);
  return {
    ...before,
    ...(costUsd !== undefined && { costUsd: mix(before.costUsd, costUsd) }),
    ...(durationMs !== undefined && { latencyMs: mix(before.latencyMs, durationMs) }),
  };
}

function usualKey({ agent, version }: AgentVersion, capability: string): string {
  return `${agent}@${version} ${capability}`;
}

/** One history for each caller, the latest used in memory. */
export class Histories {
  readonly #log: ChoiceLog;
  readonly #histories = new Map<string, History>();

  constructor(log: ChoiceLog) {
    this.#log = log;
  }

  async of(caller: Caller): Promise<History> {
    const history = this.#histories.get(caller.id) ?? new History(this.#log, caller);
    this.#histories.delete(caller.id);
    this.#histories.set(caller.id, history);
    if (this.#histories.size > agentsLimits.maxCallers) {
      for (const oldest of this.#histories.keys()) {
        this.#histories.delete(oldest);
        break;
      }
    }
    await history.catchUp();
    return history;
  }
}

export function isSame(one: AgentVersion, other: AgentVersion): boolean {
  return one.agent === other.agent && one.version === other.version;
}

/** What was approved and failed afterwards has failed; what failed and is praised later was good enough. */
function replaces(outcome: Outcome, before: Outcome): boolean {
  const isEnd = outcome.evidence === 'failed' && outcome.isDelayed !== true;
  const isApproved = before.isDelayed === true && before.durationMs === undefined;
  return (isEnd && isApproved) || rankOf(outcome.evidence) >= rankOf(before.evidence);
}

/** Opinions and decisions are both the word of a person: the latest counts. */
function rankOf(evidence: EvidenceKind): number {
  return evidenceKinds.indexOf(evidence === 'feedback' ? 'person' : evidence);
}

/** Maps keep the order in which keys were added. */
function forgetOldest(map: Map<string, unknown>): void {
  if (map.size <= agentsLimits.maxDecisions) return;
  for (const oldest of map.keys()) {
    map.delete(oldest);
    return;
  }
}

/** What bounds choosing and learning. */
export const agentsLimits = {
  /** Candidates of one choice. */
  maxCandidates: 100,
  /** Of a name or value in a task or a candidate. */
  maxNameLength: 200,
  /** Decisions and results of a caller in memory, the latest. */
  maxDecisions: 20_000,
  /** Callers whose history is in memory, the latest used. */
  maxCallers: 200,
  /** Entries of the log read at once. */
  maxPage: 1_000,
  /** Changes of an agent's versions that are shown. */
  maxChanges: 100,
} as const;
