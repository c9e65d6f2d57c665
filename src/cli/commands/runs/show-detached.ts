import { localCaller } from '../../../contract/caller/index.ts';
import type { Workflows } from '../../../contract/run/index.ts';
import type { Invocation } from '../../invocation.ts';

/** Prints a run that goes on without this process. */
export async function showDetached(
  { output }: Invocation,
  workflows: Workflows,
  runId: string,
): Promise<number> {
  const view = await workflows.show(localCaller, runId);
  output.result(view, () => view.runId);
  output.note(
    `Run ${view.runId} is kept. A "tutti worker" or "tutti serve" that runs executes it; here: tutti runs resume ${view.runId}`,
  );
  return 0;
}
