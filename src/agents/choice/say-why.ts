import type { TaskClass } from '../../contract/agents/index.ts';
import type { Ranked } from './rank.ts';

interface Reasons {
  readonly chosen: Ranked;
  readonly best: Ranked;
  readonly ranked: readonly Ranked[];
  readonly explored: boolean;
  readonly mayExplore: boolean;
  readonly task: TaskClass;
}

/** Why a candidate was chosen, as one sentence. */
export function sayWhy({ chosen, best, ranked, explored, mayExplore, task }: Reasons): string {
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
