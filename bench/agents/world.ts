import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { seeded } from '../../testkit/agents/seeded.ts';
import type { TaskClass } from '../../src/contract/agents/index.ts';

/** A simulated world, as data; probabilities 0 to 1, times in tasks. */
export interface WorldSpec {
  readonly name: string;
  /** Worlds held out are only counted: nothing was tuned on them. */
  readonly half: 'tuning' | 'held out';
  readonly agents: number;
  /** Between the best and the worst agent over all classes. */
  readonly spread: number;
  /** Success of the best agent; 0.85 where absent. */
  readonly top?: number;
  readonly languages?: number;
  readonly kinds?: number;
  readonly sizes?: number;
  /** How much an agent may be better or worse in a language, or at a kind of task. */
  readonly languageEffect?: number;
  readonly kindEffect?: number;
  /** How much the otherwise worst agent is better in one class of one language and kind. */
  readonly star?: number;
  /** Exponent of how often classes occur; 0: equally often. */
  readonly zipf?: number;
  /** sudden: agents change places · slow: so over time · break: the best one fails most of the time. */
  readonly drift?: 'sudden' | 'slow' | 'break';
  readonly changes?: number;
  /** Mean number of tasks before an outcome arrives. */
  readonly delay?: number;
  /** An agent so much better than the others' best appears after a third. */
  readonly newcomer?: number;
  /** Outcomes between 0 and 1 instead of one of both. */
  readonly graded?: boolean;
  readonly horizon: number;
}

export interface World {
  readonly spec: WorldSpec;
  readonly agents: readonly string[];
  task(random: () => number): TaskClass;
  /** Expected success, undefined where the agent is not there yet. */
  expected(agent: number, task: TaskClass, time: number): number | undefined;
  outcome(mean: number, random: () => number): number;
  delay(random: () => number): number;
}

export function readWorlds(): readonly WorldSpec[] {
  const path = fileURLToPath(new URL('worlds.json', import.meta.url));
  // Committed beside this file and read by nothing else.
  return JSON.parse(readFileSync(path, 'utf8')) as readonly WorldSpec[];
}

const newcomerAt = 1 / 3;
const brokenSuccess = 0.2;

/** One draw of the world; another seed draws other agents of the same kind. */
export function createWorld(spec: WorldSpec, seed: number): World {
  const random = seeded(seed);
  const between = (half: number) => (random() * 2 - 1) * half;
  const top = spec.top ?? 0.85;
  const names = Array.from({ length: spec.agents }, (_, index) => `agent-${index}`);
  const gaps = names.map((_, index) => (index === 0 ? 0 : index === 1 ? 1 : 0.3 + 0.7 * random()));
  const base = shuffled(
    gaps.map((gap) => top - gap * spec.spread),
    random,
  );
  const table = (rows: number, effect: number) =>
    names.map(() => Array.from({ length: rows }, () => between(effect)));
  const inLanguage = table(spec.languages ?? 1, spec.languageEffect ?? 0);
  const atKind = table(spec.kinds ?? 1, spec.kindEffect ?? 0);
  const star = {
    agent: base.indexOf(Math.min(...base)),
    language: Math.floor(random() * (spec.languages ?? 1)),
    kind: Math.floor(random() * (spec.kinds ?? 1)),
  };
  const newcomer = spec.newcomer === undefined ? -1 : Math.floor(random() * spec.agents);
  if (newcomer >= 0) {
    const others = base.filter((_, index) => index !== newcomer);
    base[newcomer] = Math.max(...others) + (spec.newcomer ?? 0);
  }
  const classes = listClasses(spec);
  const weights = classes.map((_, index) => 1 / (index + 1) ** (spec.zipf ?? 0));
  const totalWeight = weights.reduce((sum, one) => sum + one, 0);
  const stages = listStages(base, spec, random);

  return {
    spec,
    agents: names,
    task(draw) {
      let left = draw() * totalWeight;
      const index = weights.findIndex((weight) => (left -= weight) < 0);
      return classes[index] ?? classes[0] ?? { capability: 'code.write' };
    },
    expected(agent, task, time) {
      if (agent === newcomer && time < spec.horizon * newcomerAt) return undefined;
      const language = Number(task.language ?? 0);
      const kind = Number(task.kind ?? 0);
      const isStar =
        spec.star !== undefined &&
        agent === star.agent &&
        language === star.language &&
        kind === star.kind;
      const mean =
        atTime(stages, time / spec.horizon, spec.drift === 'slow', agent) +
        (inLanguage[agent]?.[language] ?? 0) +
        (atKind[agent]?.[kind] ?? 0) +
        (isStar ? (spec.star ?? 0) : 0);
      return Math.min(0.98, Math.max(0.02, mean));
    },
    outcome(mean, draw) {
      if (spec.graded !== true) return draw() < mean ? 1 : 0;
      const noise = (draw() + draw() - 1) * Math.min(mean, 1 - mean);
      return mean + noise;
    },
    delay: (draw) =>
      spec.delay === undefined ? 0 : Math.floor(-spec.delay * Math.log(1 - draw())),
  };
}

function listClasses({ languages = 1, kinds = 1, sizes = 1 }: WorldSpec): TaskClass[] {
  const classes: TaskClass[] = [];
  for (let kind = 0; kind < kinds; kind += 1) {
    for (let language = 0; language < languages; language += 1) {
      for (let size = 0; size < sizes; size += 1) {
        classes.push({
          capability: 'code.write',
          ...(languages > 1 && { language: String(language) }),
          ...(kinds > 1 && { kind: String(kind) }),
          ...(sizes > 1 && { size: String(size) }),
        });
      }
    }
  }
  return classes;
}

/** The agents' means in each stretch of time. */
function listStages(base: readonly number[], spec: WorldSpec, random: () => number): number[][] {
  const stages = [[...base]];
  for (let change = 0; change < (spec.changes ?? 0); change += 1) {
    const last = stages.at(-1) ?? [...base];
    const best = last.indexOf(Math.max(...last));
    if (spec.drift === 'break') {
      stages.push(last.map((mean, index) => (index === best ? brokenSuccess : mean)));
      continue;
    }
    let changed = shuffled(last, random);
    while (changed[best] === last[best]) changed = shuffled(last, random);
    stages.push(changed);
  }
  return stages;
}

function atTime(
  stages: readonly (readonly number[])[],
  part: number,
  isSlow: boolean,
  agent: number,
): number {
  if (!isSlow)
    return stages[Math.min(stages.length - 1, Math.floor(part * stages.length))]?.[agent] ?? 0;
  const at = part * (stages.length - 1);
  const before = stages[Math.floor(at)]?.[agent] ?? 0;
  const after = stages[Math.min(stages.length - 1, Math.floor(at) + 1)]?.[agent] ?? before;
  return before + (after - before) * (at - Math.floor(at));
}

function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  return items
    .map((item) => ({ item, key: random() }))
    .sort((one, other) => one.key - other.key)
    .map(({ item }) => item);
}
