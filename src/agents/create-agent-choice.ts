import type { AgentVersions, Chooser } from '../contract/agents/index.ts';
import type { Caller } from '../contract/caller/index.ts';
import { systemClock, type Clock } from '../kernel/index.ts';
import type { ChoiceLog } from './choice/choice-log.ts';
import { createChooser } from './choice/create-chooser.ts';
import { Histories } from './choice/history.ts';
import { defaultChoiceSettings, type ChoiceSettings } from './choice/rank.ts';
import { defaultVersionSettings, type VersionSettings } from './versions/compare-versions.ts';
import { createVersions } from './versions/create-versions.ts';
import { estimatePolicy, type Policy, type PolicyEstimate } from './versions/estimate-policy.ts';

export interface AgentChoiceParts {
  readonly log: ChoiceLog;
  readonly choice?: ChoiceSettings;
  readonly versions?: VersionSettings;
  readonly clock?: Clock;
  /** 0 to 1, uniform. */
  readonly random?: () => number;
}

export interface AgentChoice {
  readonly chooser: Chooser;
  readonly versions: AgentVersions;
  /** What success another policy would have had on the caller's decisions; undefined without any it can be told from. */
  estimate(caller: Caller, policy: Policy): Promise<PolicyEstimate | undefined>;
}

/** Choosing among agents and versions; both learn from one log. */
export function createAgentChoice(parts: AgentChoiceParts): AgentChoice {
  const { log, clock = systemClock, random = Math.random } = parts;
  const histories = new Histories(log);
  const shared = { log, histories, clock };
  return {
    chooser: createChooser({ ...shared, random, settings: parts.choice ?? defaultChoiceSettings }),
    versions: createVersions({ ...shared, settings: parts.versions ?? defaultVersionSettings }),
    estimate: async (caller, policy) =>
      estimatePolicy([...(await histories.of(caller)).results], policy),
  };
}
