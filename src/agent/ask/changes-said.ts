import { resultsOfRun } from '../answer/index.ts';
import type { ChangeMade } from '../propose/index.ts';
import { splitPastes } from '../intent/index.ts';
import type { Turn } from './turn.ts';

/** Runs of the conversation that are read for the changes they made. */
const maxRuns = 20;

/** The changes that can be undone, with the words of this conversation that led to them. */
export async function changesSaid(turn: Turn): Promise<readonly ChangeMade[]> {
  const { parts, request, before } = turn;
  const changes = (await parts.changes?.()) ?? [];
  const said = new Map<string, string>();
  const ran = before.turns.filter(({ runId }) => runId !== undefined).slice(-maxRuns);
  for (const [at, { runId = '', plan }] of ran.entries()) {
    if (changes.length === 0) break;
    const view = await parts.workflows.show(request.caller, runId);
    const results = await resultsOfRun(view, await parts.artifacts(), request.caller);
    // "apply it" says nothing of what is applied: the run before made it.
    const made = JSON.stringify(plan?.input ?? {}).includes('"last_')
      ? ran[at - 1]?.plan
      : undefined;
    const goals = [made?.goal, view.goal ?? plan?.goal].filter((goal) => goal !== undefined);
    for (const { output } of results) {
      const { change_id: id }: { readonly change_id?: unknown } = Object(output);
      if (typeof id === 'string') said.set(id, splitPastes(goals.join('\n')).words);
    }
  }
  return changes.map((change) => {
    const words = said.get(change.id);
    return words === undefined ? change : { ...change, said: words };
  });
}
