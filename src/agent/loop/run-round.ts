import type { RunView } from '../../contract/run/index.ts';
import { resultsOfRun } from '../answer/index.ts';
import { followToEnd } from '../ask/follow-to-end.ts';
import type { Turn } from '../ask/turn.ts';
import type { EndedRound } from './evidence.ts';
import type { Task } from './task.ts';
import type { TaskWatch } from './task-watch.ts';

/** Scope of the models' budgets that a task's tokens and money count against. */
export function taskScope({ id, grant }: Task): string {
  return `task:${id}:${grant.number}`;
}

/**
 * Runs the last round of a task, or goes on with its run where a process that died had started it: the idempotency key
 * is made of the task and the number of the round, so that the same round never starts twice.
 */
export async function runLastRound(
  turn: Turn,
  task: Task,
  watch: TaskWatch,
): Promise<{ readonly runId: string; readonly view: RunView }> {
  const { parts, request, session, emit } = turn;
  const { caller } = request;
  const round = task.rounds.at(-1);
  if (!round) throw new Error('a task has at least one round');
  const { plan } = round;
  const { runId } = await parts.workflows.start(caller, {
    source: { kind: 'data', plan },
    input: {},
    optimize: parts.settings.optimizeChains,
    idempotencyKey: `agent-task:${task.id}:${task.rounds.length}`,
  });
  await parts.models.linkBudgets(caller, taskScope(task), `session:${session.id}`);
  await parts.models.linkBudgets(caller, `run:${runId}`, taskScope(task));
  const watched: Turn = {
    ...turn,
    options: { ...turn.options, signal: watch.signal },
    emit: (event) => {
      if (event.kind === 'run') watch.observe(event.run);
      emit(event);
    },
  };
  try {
    return { runId, view: await followToEnd(watched, { runId, plan, hasModel: true }) };
  } catch (error) {
    // A limit of the task ended it, not the user: what it did until then is part of the report.
    if (turn.options.signal.aborted || watch.passed() === undefined) throw error;
    return { runId, view: await parts.workflows.show(caller, runId) };
  } finally {
    watch.resume();
  }
}

/** The rounds that were looked at, with what their steps returned; the last one may still be under way. */
export async function readRounds({ parts, request }: Turn, task: Task): Promise<EndedRound[]> {
  const ended: EndedRound[] = [];
  const count = task.rounds.length - (task.next.kind === 'run' ? 1 : 0);
  for (const round of task.rounds.slice(0, count)) {
    if (round.runId === undefined) continue;
    const view = await parts.workflows.show(request.caller, round.runId);
    ended.push(await readRound({ parts, request }, { ...round, view }));
  }
  return ended;
}

export async function readRound(
  { parts, request }: Pick<Turn, 'parts' | 'request'>,
  round: Omit<EndedRound, 'results'>,
): Promise<EndedRound> {
  const results = await resultsOfRun(round.view, await parts.artifacts(), request.caller);
  return { ...round, results };
}
