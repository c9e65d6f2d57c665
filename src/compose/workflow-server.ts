import type { Settings } from '../config/index.ts';
import type { ServerEntry } from '../fleet/index.ts';
import { Gate } from '../kernel/index.ts';
import { offerKey } from './offer-key.ts';
import type { WorkflowsHere } from './workflow.ts';

export interface WorkflowServerOptions {
  readonly settings: Settings;
  readonly version: string;
  readonly runs: WorkflowsHere;
}

/** A client may wait this long for a run; the run itself goes on after that. */
const timeoutMs = 3_600_000;

/** The server `workflow`: plans as tools. */
export function workflowServer({ settings, version, runs }: WorkflowServerOptions): ServerEntry {
  const { max_concurrent_requests: maxConcurrent, max_waiting_requests: maxWaiting } =
    settings.performance;
  return {
    name: 'workflow',
    cacheKey: offerKey(import.meta.url, [version]),
    // Places of its own: a call that waits for a run must not hold what the run's calls need.
    gate: new Gate({ maxConcurrent: maxConcurrent + maxWaiting, maxWaiting }),
    timeoutMs,
    open: async () => {
      const { createWorkflowServer } = await import('../toolbox/workflow/index.ts');
      const { workflows } = runs;
      return createWorkflowServer({ version, workflows, artifacts: await runs.artifacts() });
    },
  };
}
