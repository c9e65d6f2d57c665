import type { Caller } from '../contract/caller/index.ts';
import type { Contexts } from '../contract/context/index.ts';
import type { Workflows } from '../contract/run/index.ts';

const maxVersions = 500;

/**
 * A name means the version that was the latest when the run began, else its first one: steps that start one after the
 * other get the same, and so does a step that starts again after a crash.
 */
export function pinWith({
  contexts,
  workflows,
}: {
  readonly contexts: Pick<Contexts, 'show' | 'history'>;
  readonly workflows: Pick<Workflows, 'show'>;
}): (
  caller: Caller,
  wanted: { readonly ref: string; readonly runId: string | null },
) => Promise<string> {
  return async (caller, { ref, runId }) => {
    const { id, name } = await contexts.show(caller, ref);
    if (runId === null || ref !== name) return id;
    const { createdAt } = await workflows.show(caller, runId);
    const all = await contexts.history(caller, id, { limit: maxVersions });
    const named = all.filter((version) => version.name === name);
    const found = named.find((version) => version.createdAt <= createdAt) ?? named.at(-1);
    return found?.id ?? id;
  };
}
