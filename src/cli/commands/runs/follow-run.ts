import { localCaller } from '../../../contract/caller/index.ts';
import type { RunView } from '../../../contract/run/index.ts';
import { reportError, systemClock } from '../../../kernel/index.ts';
import { askLine, isAtTerminal } from '../../ask-line.ts';
import type { Invocation } from '../../invocation.ts';
import type { System } from '../../../compose/index.ts';
import { askApproval } from './approvals.ts';
import { createLiveTree } from './live-tree.ts';
import { showResult } from './run-result.ts';

interface FollowedRun {
  readonly system: Pick<System, 'workflows' | 'hideSecrets'>;
  readonly runId: string;
  /** Claims the run when it has no owner. */
  readonly execute: boolean;
  /** What Ctrl-C does to the run: ends it, or lets it be. SIGTERM always lets it be. */
  readonly onInterrupt: 'cancel' | 'leave';
  /** It existed before this command: steps that have ended are not reported again. */
  readonly isKnown?: boolean;
  /** The preview that was shown before. */
  readonly seen?: string | undefined;
}

/**
 * Shows a run until it has ended, or waits for something that cannot be answered at this terminal, and prints its
 * outcome. Returns the exit code.
 */
export async function followRun(invocation: Invocation, followed: FollowedRun): Promise<number> {
  const { io, output } = invocation;
  const tree = createLiveTree({
    stream: io.stderr,
    isKnown: followed.isKnown ?? false,
    paint: output.paint,
    clock: systemClock,
  });
  try {
    const view = await followToEnd(invocation, followed, tree);
    const { system, seen } = followed;
    return await showResult(view, invocation, {
      hideSecrets: system.hideSecrets,
      ...(seen !== undefined && { seen }),
    });
  } catch (error) {
    if (!io.signal.aborted) {
      tree.finish();
      if (reportError(error).code.startsWith('store.')) output.note(leftAsItIs(followed.runId));
      throw error;
    }
    tree.finish();
    return interrupted(invocation, followed);
  }
}

async function followToEnd(
  { io, output }: Invocation,
  { system: { workflows }, runId, execute }: FollowedRun,
  tree: ReturnType<typeof createLiveTree>,
): Promise<RunView> {
  for (;;) {
    const view = await workflows.follow(localCaller, runId, {
      execute,
      signal: io.signal,
      onTrouble: ({ message }) =>
        output.note(`The run is held up, and tried again for a minute: ${message}`),
      ...(!output.isJson && { onChange: (changed: RunView) => tree.update(changed) }),
    });
    tree.finish();
    // Every answer is the end of a wait, and a plan has an end: so has this loop.
    const approval = view.waitingFor.find((wait) => wait.kind === 'approval');
    const mayAsk = execute && !output.isJson;
    if (view.status !== 'waiting' || approval === undefined || !mayAsk) return view;
    if (!isAtTerminal(io)) return view;
    const verdict = await askApproval((question) => askLine(io, question), approval);
    if (verdict === undefined) return view;
    const { step, approvalId } = approval;
    // Exactly what was shown: a question that has replaced it meanwhile is asked again.
    await workflows.decide(localCaller, view.runId, { step, approvalId, verdict });
  }
}

async function interrupted(
  invocation: Invocation,
  { system, runId, onInterrupt }: FollowedRun,
): Promise<number> {
  const { io, output } = invocation;
  const { workflows } = system;
  // A machine that shuts down ends programs, not what they were to do.
  const isTerminated = Object(io.signal.reason).cause === 'SIGTERM';
  if (onInterrupt === 'cancel' && !isTerminated) {
    output.note(`Cancelling run ${runId}. Press Ctrl-C again to quit without waiting for it`);
    await workflows.cancel(localCaller, runId, 'cancelled at the terminal');
    return showResult(await workflows.show(localCaller, runId), invocation, system);
  }
  const view = await workflows.show(localCaller, runId);
  output.result(view, () => '');
  output.note(leftAsItIs(runId));
  return exitCancelled;
}

function leftAsItIs(runId: string): string {
  return `Run ${runId} is left as it is. Go on with it: tutti runs resume ${runId}`;
}

const exitCancelled = 130;
