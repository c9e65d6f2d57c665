import type { Settings } from '../config/index.ts';
import type { Agent } from '../contract/agent/index.ts';
import type { ServerEntry } from '../fleet/index.ts';
import { Gate } from '../kernel/index.ts';
import { offerKey } from './offer-key.ts';

export interface AgentServerOptions {
  readonly settings: Settings;
  readonly version: string;
  readonly agent: Agent;
}

/** A message may take as long as its run and the people who approve. */
const timeoutMs = 3_600_000;

/** The server `agent`: the agent as a tool. */
export function agentServer({ settings, version, agent }: AgentServerOptions): ServerEntry {
  const { max_concurrent_requests: maxConcurrent, max_waiting_requests: maxWaiting } =
    settings.performance;
  return {
    name: 'agent',
    cacheKey: offerKey(import.meta.url, [version]),
    // Places of its own: a message that waits for its run must not hold what the run's calls need.
    gate: new Gate({ maxConcurrent: maxConcurrent + maxWaiting, maxWaiting }),
    timeoutMs,
    open: async () => {
      const { createAgentServer } = await import('../toolbox/agent/index.ts');
      return createAgentServer({ version, agent });
    },
  };
}
