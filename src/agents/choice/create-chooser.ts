import { randomUUID } from 'node:crypto';
import {
  type AgentVersion,
  type Candidate,
  type Choice,
  type ChoiceRequest,
  type Chooser,
  evidenceKinds,
  type Outcome,
  type TaskClass,
} from '../../contract/agents/index.ts';
import type { Caller } from '../../contract/caller/index.ts';
import type { Clock } from '../../kernel/index.ts';
import { InvalidChoiceError, NoCandidatesError, UnknownDecisionError } from '../errors.ts';
import type { Beliefs } from './beliefs.ts';
import type { ChoiceLog, LoggedDecision } from './choice-log.ts';
import { agentsLimits, type Histories, type History, isSame } from './history.ts';
import { type ChoiceSettings, rank, type Ranked } from './rank.ts';

interface ChooserParts {
  readonly log: ChoiceLog;
  readonly histories: Histories;
  readonly clock: Clock;
  readonly settings: ChoiceSettings;
  /** 0 to 1, uniform. */
  readonly random: () => number;
}

/** Agents are drawn first, then, where an experiment runs, the version: so experiments never wait for exploration. */
export function createChooser(parts: ChooserParts): Chooser {
  return {
    async choose(request) {
      checkRequest(request);
      const { caller, task } = request;
      const history = await parts.histories.of(caller);
      const { choice, ranked } = draw(request, { history, parts, at: parts.random() });
      const decision: LoggedDecision = {
        kind: 'decision',
        id: choice.decisionId,
        atMs: parts.clock.now(),
        task,
        chosen: choice.chosen,
        candidates: ranked.map(({ candidate: { agent, version }, propensity }) => ({
          agent,
          version,
          propensity,
        })),
      };
      await parts.log.append(caller, decision);
      if (choice.shadow) {
        const { decisionId: id, agent, version } = choice.shadow;
        const chosen = { agent, version };
        const shadowOf = decision.id;
        await parts.log.append(caller, { ...decision, id, chosen, candidates: [], shadowOf });
      }
      return choice;
    },

    async explain(request) {
      checkRequest(request);
      const history = await parts.histories.of(request.caller);
      return draw(request, { history, parts, at: 0 }).choice;
    },

    record: (caller, outcome) => record(caller, { outcome, parts }),
  };
}

interface Drawing {
  readonly history: History;
  readonly parts: ChooserParts;
  /** 0 to 1: at 0 the first in rank is chosen. */
  readonly at: number;
}

function draw(
  { task, candidates, mayExplore }: ChoiceRequest,
  { history, parts, at }: Drawing,
): { choice: Choice; ranked: readonly Ranked[] } {
  const terms = { task, mayExplore };
  const knowledge = { beliefs: history.beliefs, settings: parts.settings };
  const known = candidates.map((one) => ({ ...history.usual(one, task), ...one }));
  const split = splitVersions(known, { history, mayExplore });
  const first = rank(split.active, terms, knowledge);
  const ranked = byScore([
    ...first.flatMap((one) => split.share(one, knowledge, task)),
    ...rank(split.idle, terms, knowledge).map((one) => ({ ...one, propensity: 0 })),
  ]);
  const chosen = pick(ranked, at);
  const best = ranked.find(({ propensity }) => propensity > 0) ?? chosen;
  // The share of an experiment is no exploration: a person asked for it.
  const explored = chosen.candidate.agent !== best.candidate.agent && chosen.score < best.score;
  const { agent, version } = chosen.candidate;
  const shadowed = split.shadows.find((one) => one.agent === agent);
  const order = [chosen, ...ranked.filter((one) => one !== chosen)];
  return {
    ranked,
    choice: {
      decisionId: randomUUID(),
      chosen: { agent, version },
      propensity: chosen.propensity,
      order: order.map(({ candidate, ...rest }) => ({
        agent: candidate.agent,
        version: candidate.version,
        ...rest,
      })),
      why: sayWhy({ chosen, best, ranked, explored, mayExplore, task }),
      explored,
      ...(shadowed && { shadow: { ...shadowed, decisionId: randomUUID() } }),
    },
  };
}

/** Those that can be drawn first, then by score. */
function byScore(ranked: readonly Ranked[]): readonly Ranked[] {
  return ranked.toSorted(
    (one, other) =>
      Number(other.propensity > 0) - Number(one.propensity > 0) || other.score - one.score,
  );
}

function pick(ranked: readonly Ranked[], at: number): Ranked {
  let left = at;
  let last: Ranked | undefined;
  for (const one of ranked) {
    if (one.propensity <= 0) continue;
    last = one;
    left -= one.propensity;
    if (left < 0) return one;
  }
  if (!last) throw new RangeError('No candidate has a probability.');
  return last;
}

async function record(
  caller: Caller,
  { outcome, parts }: { readonly outcome: Outcome; readonly parts: ChooserParts },
): Promise<void> {
  checkOutcome(outcome);
  const history = await parts.histories.of(caller);
  const decision = history.decision(outcome.decisionId);
  const { doneBy } = outcome;
  const isKnown =
    decision &&
    (!doneBy ||
      [decision.chosen, ...decision.candidates].some((one: AgentVersion) => isSame(one, doneBy)));
  if (!isKnown) throw new UnknownDecisionError(outcome.decisionId);
  await parts.log.append(caller, { kind: 'outcome', atMs: parts.clock.now(), outcome });
}

function checkRequest({ task, candidates }: ChoiceRequest): void {
  if (candidates.length === 0) throw new NoCandidatesError(task.capability);
  const { maxCandidates, maxNameLength } = agentsLimits;
  if (candidates.length > maxCandidates) {
    throw new InvalidChoiceError(
      `there are ${candidates.length} candidates, and there may be ${maxCandidates}`,
    );
  }
  const names = candidates.map(({ agent, version }) => `${agent}@${version}`);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new InvalidChoiceError(`"${twice}" is a candidate twice`);
  const texts = [...names, ...Object.values(task).filter((value) => typeof value === 'string')];
  const long = texts.find((text) => text.length > 2 * maxNameLength);
  if (long !== undefined) {
    throw new InvalidChoiceError(`"${long.slice(0, maxNameLength)}…" is too long`);
  }
  for (const [index, { health, load, costUsd = 0, latencyMs = 0 }] of candidates.entries()) {
    const name = names[index] ?? '';
    checkPart(health, `health of "${name}"`);
    checkPart(load, `load of "${name}"`);
    checkAmount(costUsd, `cost of "${name}"`);
    checkAmount(latencyMs, `latency of "${name}"`);
  }
}

function checkOutcome({ success, evidence, costUsd = 0, durationMs = 0 }: Outcome): void {
  checkPart(success, 'success');
  checkAmount(costUsd, 'cost');
  checkAmount(durationMs, 'duration');
  if (!evidenceKinds.includes(evidence)) {
    throw new InvalidChoiceError(`the evidence must be one of ${evidenceKinds.join(', ')}`);
  }
}

function checkPart(value: number, what: string): void {
  if (!(value >= 0 && value <= 1)) {
    throw new InvalidChoiceError(`the ${what} is ${value}, and must be from 0 to 1`);
  }
}

function checkAmount(value: number, what: string): void {
  if (!(value >= 0 && value < Infinity)) {
    throw new InvalidChoiceError(`the ${what} is ${value}, and must not be below 0`);
  }
}

interface Reasons {
  readonly chosen: Ranked;
  readonly best: Ranked;
  readonly ranked: readonly Ranked[];
  readonly explored: boolean;
  readonly mayExplore: boolean;
  readonly task: TaskClass;
}

/** Why a candidate was chosen, as one sentence. */
function sayWhy({ chosen, best, ranked, explored, mayExplore, task }: Reasons): string {
  const name = nameOf(chosen);
  const kind = classOf(task);
  if (ranked.length === 1) return `${name} is the only candidate for ${kind}.`;
  if (explored) {
    return (
      `${name} (${knownOf(chosen)}) was drawn to learn about it, with a probability of ` +
      `${percent(chosen.propensity)}; ${nameOf(best)} (${knownOf(best)}) ranks first for ${kind}.`
    );
  }
  const next = ranked.find((one) => one !== chosen);
  const beside = next ? `; next is ${nameOf(next)} (${knownOf(next)})` : '';
  if (chosen.outcomes < 1 && (next?.outcomes ?? 0) < 1) {
    return `${name} was chosen among ${ranked.length} candidates of which nothing is known yet for ${kind}.`;
  }
  if (chosen.candidate.agent === best.candidate.agent && chosen !== best) {
    return `${name} was drawn for its share of an experiment with ${nameOf(best)}, which ranks first for ${kind}.`;
  }
  const trying = mayExplore ? '' : ', without trying anything because the task may have effects';
  return `${name} ranks first for ${kind} (${knownOf(chosen)})${trying}${beside}.`;
}

function knownOf({ criteria, outcomes }: Ranked): string {
  const rounded = Math.round(outcomes);
  if (rounded < 1) return 'no outcomes yet';
  const count = rounded === 1 ? '1 outcome' : `${rounded} outcomes`;
  return `${percent(criteria.success)} success expected from ${count}`;
}

function nameOf({ candidate: { agent, version } }: Ranked): string {
  return `${agent} ${version}`;
}

function classOf({ capability, language, kind, size, project }: TaskClass): string {
  const features = [language, kind, size, project].filter((value) => value !== undefined);
  return features.length === 0 ? capability : `${capability} (${features.join(', ')})`;
}

function percent(part: number): string {
  const value = part * 100;
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} %`;
}

interface Split {
  /** Those that are drawn among. */
  readonly active: readonly Candidate[];
  /** Other versions of agents whose version is settled: for failover alone. */
  readonly idle: readonly Candidate[];
  /** Versions to run beside the current one of their agent. */
  readonly shadows: readonly AgentVersion[];
  /** Gives a part of the probability of a current version to the one it is compared with. */
  share(
    ranked: Ranked,
    knowledge: { readonly beliefs: Beliefs; readonly settings: ChoiceSettings },
    task: TaskClass,
  ): readonly Ranked[];
}

/**
 * Which versions are drawn among: of an agent with a settled version that one alone, of any other all. The one it is
 * compared with gets its share only where nothing can go wrong by it.
 */
function splitVersions(
  candidates: readonly Candidate[],
  { history, mayExplore }: { readonly history: History; readonly mayExplore: boolean },
): Split {
  const offered = (agent: string, version: string | null) =>
    candidates.find((one) => one.agent === agent && one.version === version);
  const active = candidates.filter(({ agent, version }) => {
    const { current } = history.course(agent);
    return version === current || !offered(agent, current);
  });
  const compared = active.flatMap(({ agent }) => {
    const course = history.course(agent);
    if (!course.experiment || !offered(agent, course.current)) return [];
    const candidate = offered(agent, course.experiment.plan.candidate);
    return candidate ? [{ candidate, plan: course.experiment.plan }] : [];
  });
  const sharing = mayExplore ? compared.filter(({ plan }) => plan.mode === 'share') : [];
  return {
    active,
    idle: candidates.filter(
      (one) => !active.includes(one) && !sharing.some(({ candidate }) => candidate === one),
    ),
    shadows: compared
      .filter(({ plan }) => plan.mode === 'shadow')
      .map(({ candidate: { agent, version } }) => ({ agent, version })),
    share(ranked, knowledge, task) {
      const found = sharing.find(({ candidate }) => candidate.agent === ranked.candidate.agent);
      const [other] = found ? rank([found.candidate], { task, mayExplore }, knowledge) : [];
      if (!found || !other) return [ranked];
      const share = found.plan.share ?? 0;
      return [
        { ...ranked, propensity: ranked.propensity * (1 - share) },
        { ...other, propensity: ranked.propensity * share },
      ];
    },
  };
}
