import { randomUUID } from 'node:crypto';
import type {
  AgentVersion,
  Choice,
  ChoiceRequest,
  Chooser,
  Outcome,
} from '../../contract/agents/index.ts';
import type { Caller } from '../../contract/caller/index.ts';
import type { Clock } from '../../kernel/index.ts';
import { UnknownDecisionError } from '../errors.ts';
import { checkOutcome, checkRequest } from './check-choice.ts';
import type { ChoiceLog, LoggedDecision } from './choice-log.ts';
import { isSame, type Histories, type History } from './history.ts';
import { rank, type ChoiceSettings, type Ranked } from './rank.ts';
import { sayWhy } from './say-why.ts';
import { splitVersions } from './split-versions.ts';

export interface ChooserParts {
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
