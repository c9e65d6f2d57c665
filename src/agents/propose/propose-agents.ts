import { stringify } from 'yaml';
import type { AgentDefinition, ProposedAgent } from '../../contract/agents/index.ts';
import type { Json, Plan, Step } from '../../contract/plan/index.ts';
import type { RunSummary } from '../../contract/run/index.ts';

export interface PastRun {
  readonly summary: RunSummary;
  readonly plan: Plan;
}

/** Fewer runs of one shape say little. */
const minRuns = 3;
const minSteps = 2;
const maxProposals = 5;
const maxNameChars = 40;

/** An agent for each kind of plan that was run again and again: what differed between the runs becomes its inputs. */
export function proposeAgents(
  runs: readonly PastRun[],
  known: readonly Pick<AgentDefinition, 'name' | 'procedures'>[] = [],
): readonly ProposedAgent[] {
  const done = new Set(
    known.flatMap(({ procedures }) => Object.values(procedures)).map(({ plan }) => keyOf(plan)),
  );
  const fitting = runs.filter(
    ({ plan, summary }) =>
      shapeOf(plan).length >= minSteps && !isOfAgent(summary) && !done.has(keyOf(plan)),
  );
  const groups = Map.groupBy(fitting, ({ plan }) => keyOf(plan));
  const names = known.map(({ name }) => name);
  return [...groups.values()]
    .filter(
      (group) => group.filter(({ summary }) => summary.status === 'succeeded').length >= minRuns,
    )
    .sort((a, b) => b.length - a.length)
    .slice(0, maxProposals)
    .map((group) => makeAgent(group, names));
}

/** Runs of agents are the work of an agent already. */
function isOfAgent({ name }: RunSummary): boolean {
  return name !== null && /^[a-z0-9-]+@\d+\.\d+\.\d+/.test(name);
}

/** Tools in the order of the plan; plans within plans and loops are not learned from. */
function shapeOf({ steps }: Plan): readonly string[] {
  const isPlain = steps.every(({ tool, forEach }) => tool !== undefined && forEach === undefined);
  return isPlain ? steps.map(({ tool = '' }) => tool) : [];
}

/** The same for plans that one agent does. */
function keyOf(plan: Plan): string {
  return shapeOf(plan).join(' → ');
}

function makeAgent(group: readonly PastRun[], taken: readonly string[]): ProposedAgent {
  const succeeded = group.filter(({ summary }) => summary.status === 'succeeded');
  const [model] = succeeded;
  const shape = shapeOf(model?.plan ?? { version: 1, steps: [] });
  const name = freeName(nameOf(shape), taken);
  const input: Record<string, Record<string, Json>> = {};
  const steps = (model?.plan.steps ?? []).map((step, index) =>
    generalize(step, {
      others: succeeded.map(({ plan }) => plan.steps[index]),
      input,
      ids: idsOf(model?.plan, succeeded),
    }),
  );
  const front = {
    name,
    version: '1.0.0',
    description: `Made from ${group.length} runs of the same steps: ${shape.join(', ')}`,
    capabilities: [`${name}.do`],
    tools: [...new Set(shape)],
    model: 'none',
    criteria: ['ran'],
    procedures: {
      [`${name}.do`]: { plan: { ...(Object.keys(input).length > 0 && { input }), steps } },
    },
  };
  return {
    name,
    text: `---\n${stringify(front)}---\n\nMade from past runs. Say here what matters when this is done.\n`,
    runs: group.map(({ summary }) => ({
      runId: summary.runId,
      status: summary.status,
      goal: summary.goal ?? summary.name,
    })),
    shape,
  };
}

function nameOf(shape: readonly string[]): string {
  const words = [
    ...new Set(shape.map((tool) => (tool.split('.')[1] ?? tool).replaceAll('_', '-'))),
  ];
  return words.join('-then-').slice(0, maxNameChars).replaceAll(/-+$/g, '').toLowerCase();
}

/** Two lists of tools may begin alike, and names are cut. */
function freeName(name: string, taken: readonly string[]): string {
  if (!taken.includes(name)) return name;
  const next = taken.findIndex((_one, index) => !taken.includes(`${name}-${index + 2}`));
  return `${name}-${next + 2}`;
}

/** Ids of steps may differ between the runs; references name those of the one that is kept. */
function idsOf(model: Plan | undefined, group: readonly PastRun[]): ReadonlyMap<string, string> {
  return new Map(
    group.flatMap(({ plan }) =>
      plan.steps.map(({ id }, index) => [id, model?.steps[index]?.id ?? id] as const),
    ),
  );
}

interface Generalizing {
  readonly others: readonly (Step | undefined)[];
  readonly input: Record<string, Record<string, Json>>;
  readonly ids: ReadonlyMap<string, string>;
}

function generalize(step: Step, { others, input, ids }: Generalizing): Step {
  const args: Record<string, Json> = {};
  for (const [name, value] of Object.entries(step.args ?? {})) {
    const values = others.map((other) => renamed(other?.args?.[name] ?? null, ids));
    if (values.every((one) => one === values[0])) {
      args[name] = value;
      continue;
    }
    const taken = Object.hasOwn(input, name);
    const key = taken ? `${step.id}_${name}` : name;
    input[key] =
      typeof value === 'object'
        ? { description: `As ${name} of ${step.tool ?? ''}` }
        : { type: typeof value };
    args[name] = `\${input.${key}}`;
  }
  return { ...step, ...(step.args && { args }) };
}

/** The text of a value with its references to steps by their ids in the plan that is kept. */
function renamed(value: Json, ids: ReadonlyMap<string, string>): string {
  return JSON.stringify(value).replaceAll(
    /\$\{([A-Za-z][\w-]*)/g,
    (_whole, id: string) => `\${${ids.get(id) ?? id}`,
  );
}
