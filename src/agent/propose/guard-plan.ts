import type { CatalogueEntry } from '../../contract/catalogue/index.ts';
import type { Plan, Step } from '../../contract/plan/index.ts';
import { isReadOnly, reachesOut, type Capability, type IsTrusted } from './capability.ts';
import { unnamedReads } from './unnamed-reads.ts';

/** effects: every step that is not read-only asks · destructive: those that may destroy · plan: the workflow's own policy decides. */
export type AgentApproval = 'effects' | 'destructive' | 'plan';

export interface GuardRules {
  readonly capability: Capability;
  /** All the user said in this session: no other address was asked for. */
  readonly ownWords: string;
  readonly approval: AgentApproval;
  readonly maxSteps: number;
  readonly isTrusted: IsTrusted;
  /** Results or documents were in sight when it was planned, so any argument may hold some of them. */
  readonly isTainted?: boolean;
}

export type Guarded =
  /** `isFree`: no step of it has an effect or sends anything out. */
  | {
      readonly kind: 'allowed';
      readonly plan: Plan;
      readonly isFree: boolean;
      /** What it reads that the user did not name. */
      readonly reads: readonly string[];
    }
  | { readonly kind: 'refused'; readonly problems: readonly string[] };

/**
 * What a proposed plan may do, decided by code: no tool outside the capability, no step but tool calls,
 * and approval by a person for each effect and for whatever would send data out. What the plan itself
 * says about approval and effects does not count.
 */
export function guardPlan(plan: Plan, rules: GuardRules): Guarded {
  const problems: string[] = [];
  if (plan.steps.length > rules.maxSteps) {
    problems.push(
      `The plan has ${plan.steps.length} steps; at most ${rules.maxSteps} are allowed.`,
    );
  }
  let isFree = true;
  const steps = plan.steps.slice(0, rules.maxSteps).map((step) => {
    const judged = guardStep(step, plan, rules);
    if ('problem' in judged) {
      problems.push(judged.problem);
      return step;
    }
    isFree &&= judged.isFree;
    return judged.step;
  });
  if (problems.length > 0) return { kind: 'refused', problems };
  return { kind: 'allowed', plan: { ...plan, steps }, isFree, reads: unnamedReads(plan, rules) };
}

type Judged = { readonly step: Step; readonly isFree: boolean } | { readonly problem: string };

/** One step, by the plan it is part of. */
export function guardStep(step: Step, plan: Plan, rules: GuardRules): Judged {
  const { id, tool } = step;
  if (tool === undefined || step.plan !== undefined || step.reconcile !== undefined) {
    return { problem: `Step "${id}" is not a plain tool call; only those are allowed.` };
  }
  const entry = rules.capability.find(tool);
  if (!entry) {
    const names = rules.capability.entries.map(({ name }) => name).join(', ');
    return {
      problem: `Step "${id}" calls "${tool}", which this request does not ask for. Allowed are: ${names}.`,
    };
  }
  const { effect: _effect, approval, cache: _cache, ...plain } = step;
  const named = { ...plain, tool: entry.name };
  const reach = { step: named, entry, isFed: isFed(named, { entry, plan, rules }) };
  const isFree = isReadOnly(entry.tool.annotations) && !sendsOut(reach, rules);
  // An approval that a kept plan asks for stays; one that it declines is not its to decline.
  const asks = needsApproval(isFree, entry, rules) || (approval ?? false) !== false;
  return { step: asks ? { ...named, approval: true } : named, isFree };
}

function needsApproval(isFree: boolean, { tool }: CatalogueEntry, rules: GuardRules): boolean {
  if (isFree || rules.approval === 'plan') return false;
  if (rules.approval === 'effects' || isReadOnly(tool.annotations)) return true;
  return tool.annotations?.destructiveHint !== false;
}

interface Reach {
  readonly step: Step;
  readonly entry: CatalogueEntry;
  /** It is given something that its own server did not make. */
  readonly isFed: boolean;
}

/**
 * Whether a call would carry results or files to a third party, or go to an address the user never wrote. That
 * its tool stays on this machine is its server's own word, so what comes from elsewhere goes to no stranger's
 * tool unseen, whatever it says.
 */
function sendsOut({ step, entry, isFed: isGiven }: Reach, rules: GuardRules): boolean {
  const { server, tool } = entry;
  if (rules.isTrusted(server)) return false;
  if (isGiven || rules.isTainted) return true;
  if (!reachesOut(server, tool.annotations, rules.isTrusted)) return false;
  const text = carried(step);
  const said = new Set(addressesIn(rules.ownWords));
  return text.includes('${') || addressesIn(text).some((one) => !said.has(one));
}

/** Whether a step refers to an input, or to a step of another server. */
function isFed(
  step: Step,
  { entry, plan, rules }: { entry: CatalogueEntry; plan: Plan; rules: GuardRules },
): boolean {
  const own = plan.steps.filter(
    ({ tool = '' }) => rules.capability.find(tool)?.server === entry.server,
  );
  const ownIds = new Set(['item', 'index', 'run', ...own.map(({ id }) => id)]);
  const roots = [...carried(step).matchAll(/\$\{\s*!*\(?\s*([A-Za-z][\w-]{0,63})?/g)];
  return roots.some(([, root]) => root === undefined || !ownIds.has(root));
}

/** All of a step by which something can get to its tool: whether it is called at all tells something, too. */
function carried({ args, forEach, when }: Step): string {
  return JSON.stringify([args, forEach, when]);
}

/** Hosts in URLs, mail addresses and bare host names; each piece of text is looked at once. */
const address =
  /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}|(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,24}\b|\b\d{1,3}(?:\.\d{1,3}){3}\b|:\/\/[^\s"'/\\?#]{1,255}/gi;

/** In lower case; of a URL its host, without what stands before `@` and without the port. */
function addressesIn(text: string): string[] {
  return [...text.matchAll(address)]
    .map(([one]) =>
      one.startsWith('://') ? one.replace(/^:\/\/(?:.*@)?/, '').replace(/:\d+$/, '') : one,
    )
    .map((one) => one.toLowerCase());
}
