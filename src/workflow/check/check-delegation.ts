import { nearest } from '../../kernel/index.ts';
import { delegateTool } from '../plan/index.ts';
import type { CompiledPlan, CompiledStep } from '../plan/index.ts';
import { isRecord, show, showChoices } from './schema/schema-node.ts';
import type { StepReport } from './step-place.ts';

/** A version of an agent that steps can name. */
export interface KnownAgent {
  readonly name: string;
  readonly version: string;
  readonly capabilities: readonly string[];
  /** By capability, for those done without a model: the inputs, and whether a caller has to give them. */
  readonly inputs: ReadonlyMap<string, ReadonlyMap<string, { readonly isRequired: boolean }>>;
}

/** Agents are looked up for plans that name some. */
export function callsAgents({ steps }: CompiledPlan): boolean {
  return steps.some(
    (step) =>
      (step.kind === 'call' && step.tool === delegateTool) ||
      (step.kind === 'plan' && callsAgents(step.plan)),
  );
}

type CallStep = CompiledStep & { readonly kind: 'call' };

/** What is wrong with the agent a step names, or with what it gives to it; names that only a run knows are left out. */
export function checkDelegation(
  step: CallStep,
  { agents, report }: { readonly agents: readonly KnownAgent[]; readonly report: StepReport },
): void {
  const { agent, capability, version, inputs } = step.step.args ?? {};
  if ((agent === undefined) === (capability === undefined)) {
    const message = 'Name an agent, or a capability, and just one of the two';
    report(['args', 'agent'], { code: 'plan.wrong_value', message });
    return;
  }
  if (agent === undefined && version !== undefined) {
    const message = 'A version is one of a named agent: name the agent in place of the capability';
    report(['args', 'version'], { code: 'plan.wrong_value', message });
  }
  const candidates = isFixed(agent)
    ? named(agent, { version, agents, report })
    : isFixed(capability)
      ? able(capability, { agents, report })
      : [];
  if (candidates.length === 0) return;
  const procedures = candidates.map(({ inputs: own }) =>
    isFixed(capability)
      ? [own.get(capability)].filter((one) => one !== undefined)
      : [...own.values()],
  );
  // A model does without inputs, and may do what no procedure does.
  if (procedures.some((own) => own.length === 0)) return;
  const whose = isFixed(agent) ? `agent ${show(agent)}` : `agents for ${show(capability)}`;
  checkInputs(isRecord(inputs) ? Object.keys(inputs) : [], {
    declared: procedures.flat(),
    whose,
    report,
  });
}

/** A text without references. */
function isFixed(value: unknown): value is string {
  return typeof value === 'string' && !value.includes('${');
}

interface Lookup {
  readonly agents: readonly KnownAgent[];
  readonly report: StepReport;
}

function named(
  name: string,
  { version, agents, report }: Lookup & { readonly version: unknown },
): readonly KnownAgent[] {
  const versions = agents.filter((one) => one.name === name);
  if (versions.length === 0) {
    const message = unknown(
      `There is no agent ${show(name)}`,
      name,
      agents.map((one) => one.name),
    );
    report(['args', 'agent'], { code: 'plan.unknown_agent', message });
  }
  if (versions.length === 0 || !isFixed(version)) return versions;
  const found = versions.filter((one) => one.version === version);
  if (found.length === 0) {
    const message = unknown(
      `Agent "${name}" has no version ${show(version)}`,
      version,
      versions.map((one) => one.version),
    );
    report(['args', 'version'], { code: 'plan.unknown_agent', message });
  }
  return found;
}

function able(capability: string, { agents, report }: Lookup): readonly KnownAgent[] {
  const found = agents.filter((one) => one.capabilities.includes(capability));
  if (found.length > 0) return found;
  const known = agents.flatMap(({ capabilities }) => capabilities);
  const message = unknown(`No agent has the capability ${show(capability)}`, capability, known);
  report(['args', 'capability'], { code: 'plan.unknown_capability', message });
  return [];
}

function unknown(start: string, name: string, all: readonly string[]): string {
  const known = [...new Set(all)].toSorted();
  const meant = nearest(name, known);
  if (meant !== undefined) return `${start}. Did you mean "${meant}"?`;
  return known.length === 0 ? start : `${start}. There are: ${showChoices(known)}`;
}

interface Inputs {
  /** Of every procedure that may be chosen. */
  readonly declared: readonly ReadonlyMap<string, { readonly isRequired: boolean }>[];
  readonly whose: string;
  readonly report: StepReport;
}

/** What one of the procedures takes may work. */
function checkInputs(given: readonly string[], { declared, whose, report }: Inputs): void {
  const known = [...new Set(declared.flatMap((inputs) => [...inputs.keys()]))];
  for (const name of given.filter((one) => !known.includes(one))) {
    const message = unknown(`Input ${show(name)} is not known to the ${whose}`, name, known);
    report(['args', 'inputs', name], { code: 'plan.unknown_input', message });
  }
  const needed = known.filter((name) => declared.every((inputs) => inputs.get(name)?.isRequired));
  for (const name of needed.filter((one) => !given.includes(one))) {
    report(['args', 'inputs'], {
      code: 'plan.missing_input',
      message: `Input ${show(name)} of the ${whose} is missing`,
    });
  }
}
