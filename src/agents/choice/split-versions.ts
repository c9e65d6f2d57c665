import type { AgentVersion, Candidate, TaskClass } from '../../contract/agents/index.ts';
import type { Beliefs } from './beliefs.ts';
import type { History } from './history.ts';
import { rank, type ChoiceSettings, type Ranked } from './rank.ts';

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
export function splitVersions(
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
