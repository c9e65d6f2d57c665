import { RecentValues } from '../../kernel/index.ts';
import type { PlanCheck } from '../../contract/plan/index.ts';
import type { PlanSource } from '../../contract/run/index.ts';
import {
  checkInput,
  drawPlan,
  inspectPlan,
  type InspectOptions,
  type ToolLookup,
} from '../check/index.ts';
import { measureJson } from '../effects/measure-json.ts';
import { preparePlans, type PreparePlan } from '../interpret/index.ts';
import type { PlanDesk } from './plan-desk.ts';

export interface PlanDeskParts extends Omit<InspectOptions, 'tools' | 'optimize'> {
  /** The catalogue as it is now. */
  readonly tools: () => Promise<ToolLookup>;
  /** Whoever executes runs of the same plans shares it. */
  readonly prepare?: PreparePlan;
}

/** Characters of plans that were found good, which are not checked again until the tools change. */
const keptLength = 16_777_216;

export function createPlanDesk({
  tools,
  prepare = preparePlans(),
  ...parts
}: PlanDeskParts): PlanDesk {
  const checked = new WeakMap<object, RecentValues<PlanCheck>>();
  const checkedWith = (state: object): RecentValues<PlanCheck> => {
    const known = checked.get(state) ?? new RecentValues<PlanCheck>(keptLength);
    checked.set(state, known);
    return known;
  };
  return {
    async check(_caller, source, { optimize }) {
      const lookup = await tools();
      const known = lookup.state && checkedWith(lookup.state);
      const text = known && textOf(source, optimize);
      const found = text === undefined ? undefined : known?.get(text);
      if (found) return found;
      const files = noteReads(parts.readFile);
      const check = await inspectPlan(source, { ...parts, ...files, tools: lookup, optimize });
      // Files may change, and what is wrong is worth looking at again.
      if (text !== undefined && check.ok && !files.isRead()) known?.set(text, check);
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

function noteReads(readFile: InspectOptions['readFile']): Pick<InspectOptions, 'readFile'> & {
  readonly isRead: () => boolean;
} {
  let isRead = false;
  return {
    isRead: () => isRead,
    ...(readFile && {
      readFile: (path, limits) => {
        isRead = true;
        return readFile(path, limits);
      },
    }),
  };
}
