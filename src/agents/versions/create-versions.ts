import type {
  AgentVersions,
  Comparison,
  ExperimentPlan,
  VersionStatus,
} from '../../contract/agents/index.ts';
import type { Caller } from '../../contract/caller/index.ts';
import type { Clock } from '../../kernel/index.ts';
import type { ChoiceLog, LoggedChange } from '../choice/choice-log.ts';
import { type Course, type Histories, type History, isSame } from '../choice/history.ts';
import {
  ExperimentRunningError,
  InvalidExperimentError,
  NothingToRollBackError,
} from '../errors.ts';
import { Wager } from './betting.ts';
import { compareVersions, judge, type VersionSettings } from './compare-versions.ts';

interface VersionsParts {
  readonly log: ChoiceLog;
  readonly histories: Histories;
  readonly clock: Clock;
  readonly settings: VersionSettings;
}

const shares = { min: 0.01, max: 0.5 };

export function createVersions({ log, histories, clock, settings }: VersionsParts): AgentVersions {
  const append = async (
    caller: Caller,
    change: Pick<LoggedChange, 'event' | 'plan' | 'why'>,
  ): Promise<History> => {
    await log.append(caller, { kind: 'change', atMs: clock.now(), ...change });
    return histories.of(caller);
  };
  return {
    async start(caller, plan) {
      const whole = { ...plan, share: plan.share ?? settings.share };
      const history = await histories.of(caller);
      checkPlan(whole, history);
      const why = 'a person started it';
      return statusOf(await append(caller, { event: 'started', plan: whole, why }), plan.agent);
    },

    async compare(caller, current, candidate) {
      return compareVersions(await histories.of(caller), { current, candidate }, settings);
    },

    async decide(caller) {
      const history = await histories.of(caller);
      const running = [...history.courses.values()].flatMap(
        ({ experiment }) => experiment?.plan ?? [],
      );
      const decided: Comparison[] = [];
      for (const plan of running) {
        const { decision, why } = judge(history, pairOf(plan), settings);
        if (decision === 'continue') continue;
        const comparison = compareVersions(history, pairOf(plan), settings);
        const event = decision === 'promote' ? 'promoted' : 'rolled back';
        await append(caller, { event, plan, why });
        decided.push(comparison);
      }
      for (const { plan } of degraded(history, settings)) {
        const why = `Since its promotion it is shown to be worse than version ${plan.current} was.`;
        await append(caller, { event: 'rolled back', plan, why });
        decided.push({
          ...compareVersions(history, pairOf(plan), settings),
          decision: 'roll back',
          why,
        });
      }
      return decided;
    },

    async rollback(caller, agent, why) {
      const history = await histories.of(caller);
      const { experiment, changes } = history.course(agent);
      const plan = experiment?.plan ?? lastPromotion(changes)?.plan;
      if (!plan) throw new NothingToRollBackError(agent);
      return statusOf(await append(caller, { event: 'rolled back', plan, why }), agent);
    },

    async status(caller) {
      const history = await histories.of(caller);
      return [...history.courses.keys()].map((agent) => statusOf(history, agent));
    },
  };
}

function pairOf({ agent, current, candidate }: ExperimentPlan) {
  return { current: { agent, version: current }, candidate: { agent, version: candidate } };
}

function degraded(history: History, settings: VersionSettings): readonly Promotion[] {
  return [...history.courses.values()]
    .flatMap((course) => standingPromotion(course) ?? [])
    .filter((promotion) => isDegraded(history, promotion, settings));
}

function checkPlan(
  { agent, current, candidate, share = 0 }: ExperimentPlan,
  history: History,
): void {
  const course = history.course(agent);
  if (course.experiment) throw new ExperimentRunningError(course.experiment.plan);
  if (current === candidate) {
    throw new InvalidExperimentError(`both versions are ${current}: name two different ones`);
  }
  if (!(share >= shares.min && share <= shares.max)) {
    throw new InvalidExperimentError(
      `its share is ${share}, and must be from ${shares.min} to ${shares.max}`,
    );
  }
  if (course.current !== null && course.current !== current) {
    throw new InvalidExperimentError(
      `version ${course.current} of agent "${agent}" does the tasks, not ${current}`,
    );
  }
}

/** The promotion that the version in use comes from. */
function lastPromotion(changes: readonly LoggedChange[]): LoggedChange | undefined {
  const settled = changes.findLast(({ event }) => event !== 'started');
  return settled?.event === 'promoted' ? settled : undefined;
}

function statusOf(history: History, agent: string): VersionStatus {
  const { current, experiment, changes } = history.course(agent);
  return {
    agent,
    current,
    experiment: experiment && { ...experiment.plan, startedAt: iso(experiment.startedAtMs) },
    history: changes.map(({ atMs, event, plan, why }) => {
      const [from, to] = [plan.current, plan.candidate];
      const at = iso(atMs);
      return event === 'rolled back'
        ? { at, event, from: to, to: from, why }
        : { at, event, from, to, why };
    }),
  };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

interface Promotion {
  readonly plan: ExperimentPlan;
  readonly atMs: number;
}

/** The promotion that stands; undefined while something else is tried. */
function standingPromotion({ experiment, changes }: Course): Promotion | undefined {
  const last = changes.at(-1);
  return experiment === null && last?.event === 'promoted' ? last : undefined;
}

/** Fewer outcomes of the version before say too little of how it was. */
const minKnown = 30;
/** A wager begins with every block, so that a long good time hides no bad one; their risks sum to the whole. */
const blockSize = 50;
/** An older wager would have decided by now. */
const maxWatched = 1_000;

/**
 * Whether a promoted version is shown to have become worse than the one before it was, by the margin: at the risk of
 * a rollback, at any look. The rate of the version before is that of its own time, since it gets no more tasks.
 */
function isDegraded(
  history: History,
  { plan, atMs }: Promotion,
  { risk, margin }: Pick<VersionSettings, 'risk' | 'margin'>,
): boolean {
  const { agent } = plan;
  const results = [...history.results].filter(({ outcome }) => !outcome.doneBy);
  const failuresOf = (version: string, sinceMs: number): number[] =>
    results
      .filter(({ decision }) => isSame(decision.chosen, { agent, version }))
      .filter(({ decision }) => decision.atMs >= sinceMs)
      .map(({ outcome }) => 1 - outcome.success);
  const before = failuresOf(plan.current, 0);
  if (before.length < minKnown) return false;
  const usual = before.reduce((sum, failed) => sum + failed, 0) / before.length;
  if (usual + margin >= 1) return false;
  const since = failuresOf(plan.candidate, atMs);
  for (let block = 0; block * blockSize < since.length; block += 1) {
    const start = block * blockSize;
    if (since.length - start > maxWatched) continue;
    const wager = new Wager(usual + margin);
    for (const value of since.slice(start)) wager.add({ value, min: 0 });
    if (wager.rejects(risk / ((block + 1) * (block + 2)))) return true;
  }
  return false;
}
