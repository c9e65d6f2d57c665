import type { Caller } from '../../contract/caller/index.ts';
import type { Json, Plan, PlanCheck } from '../../contract/plan/index.ts';
import type { PlanSource } from '../../contract/run/index.ts';
import { RecentValues } from '../../kernel/index.ts';
import {
  checkInput,
  drawPlan,
  inspectPlan,
  type InspectOptions,
  type ToolLookup,
} from '../check/index.ts';
import { measureJson } from '../effects/held-values.ts';
import { type PreparePlan, preparePlans } from '../interpret/index.ts';
import type { CompiledPlan } from '../plan/compile-plan.ts';

/** All that is known about plans before they run. */
export interface PlanChecker {
  check(
    caller: Caller,
    source: PlanSource,
    options: { readonly optimize: boolean },
  ): Promise<PlanCheck>;
  draw(plan: Plan, format: 'text' | 'mermaid' | 'svg'): string;
  /** A plan that was checked, or stored after it was. */
  readonly prepare: PreparePlan;
  /** What is wrong with the values a run is to be given, as sentences. */
  checkInput(plan: CompiledPlan, input: Readonly<Record<string, Json>>): readonly string[];
}

interface PlanCheckerParts extends Omit<InspectOptions, 'tools' | 'optimize'> {
  /** The catalogue as it is now, as the caller sees it. */
  readonly tools: (caller: Caller) => Promise<ToolLookup>;
  /** Shared with the engines that execute runs of the same plans. */
  readonly prepare?: PreparePlan;
}

/** Characters of plans that were found good, which are not checked again until the tools change. */
const keptLength = 16_777_216;

export function createPlanChecker({
  tools,
  prepare = preparePlans(),
  ...parts
}: PlanCheckerParts): PlanChecker {
  const checked = new WeakMap<object, RecentValues<PlanCheck>>();
  const checkedWith = (state: object): RecentValues<PlanCheck> => {
    const known = checked.get(state) ?? new RecentValues<PlanCheck>(keptLength);
    checked.set(state, known);
    return known;
  };
  return {
    async check(caller, source, { optimize }) {
      const lookup = await tools(caller);
      const known = lookup.state && checkedWith(lookup.state);
      const text = known && textOf(source, optimize);
      const found = text === undefined ? undefined : known?.get(text);
      if (found) return found;
      const reads = noteReads(parts);
      const check = await inspectPlan(source, { ...parts, ...reads, tools: lookup, optimize });
      // Files and agents may change, and what is wrong is worth looking at again.
      if (text !== undefined && check.ok && !reads.isRead()) known?.set(text, check);
      return check;
    },
    draw: (plan, format) => drawPlan(prepare(plan).plan, format),
    prepare,
    checkInput,
  };
}

/** All that tells sources apart; undefined for data that JSON would change. */
function textOf(source: PlanSource, optimize: boolean): string | undefined {
  if (source.kind === 'text') {
    return JSON.stringify([optimize, source.file ?? null]) + source.text;
  }
  const { plan } = source;
  return measureJson(plan) <= keptLength ? `${optimize}${JSON.stringify(plan)}` : undefined;
}

type Reads = Pick<InspectOptions, 'readFile' | 'agents'>;

function noteReads({ readFile, agents }: Reads): Reads & { readonly isRead: () => boolean } {
  let isRead = false;
  return {
    isRead: () => isRead,
    ...(readFile && {
      readFile: (path, limits) => {
        isRead = true;
        return readFile(path, limits);
      },
    }),
    ...(agents && {
      agents: () => {
        isRead = true;
        return agents();
      },
    }),
  };
}
