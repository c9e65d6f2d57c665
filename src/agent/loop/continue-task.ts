import type { Turn as StoredTurn } from '../../contract/session/index.ts';
import { attachmentsOf } from '../ask/kept-texts.ts';
import type { ShortReply } from '../../kernel/index.ts';
import type { Reply, Turn } from '../ask/turn.ts';
import { countCalls, loadTask, type Task } from './task.ts';
import { readRounds } from './run-round.ts';
import { runTask } from './run-task.ts';

/** What a short reply ("yes", "no", "continue") says to the session's unfinished task; undefined where it says nothing to it. */
export async function replyToTask(
  turn: Turn,
  said: ShortReply | undefined,
): Promise<Reply | undefined> {
  const { before, session, parts, emit } = turn;
  const last = before.turns.at(-1);
  const isInterrupted = last?.role === 'user';
  if (said === undefined && !isInterrupted) return undefined;
  const task = await loadTask(session, parts.log);
  if (!task) return undefined;
  if (said === undefined) {
    const text = `"${task.goal}" was interrupted. Say "continue" to go on with it.`;
    if (task.next.kind !== 'over') emit({ kind: 'notice', text });
    return undefined;
  }
  if (!isMeant(task, said, last)) return undefined;
  const isDone = task.next.kind === 'over' && task.next.stop === undefined;
  emit({ kind: 'notice', text: `${isDone ? 'Already done' : 'Going on with'}: ${task.goal}` });
  const verdict = said === 'continue' ? undefined : said === 'yes';
  // As the turn was that began it: its words and what was attached to it.
  const begun = before.turns[task.turn - 1] ?? { remembered: [] };
  const attachments = await attachmentsOf(begun, turn);
  const restored = { ...turn, words: task.words, attachments };
  return runTask(restored, await granted(restored, task), verdict);
}

function isMeant({ next, rounds, askedIn }: Task, said: ShortReply, last: StoredTurn | undefined) {
  const isLatest = last?.number === askedIn;
  if (rounds.length === 0) return false;
  if (next.kind === 'over') {
    if (said === 'no' || (said === 'yes' && !isLatest)) return false;
    // Of a task that is done only its answer can have got lost.
    if (next.stop === undefined) return said === 'continue' && (isLatest || last?.role === 'user');
  }
  // Where something else was asked since, that is what is replied to.
  const isOpen = last?.outcome === 'question' || last?.outcome === 'plan';
  return isLatest || (said === 'continue' && !isOpen);
}

/** A stopped task that the user has go on gets its limits anew. */
async function granted(turn: Turn, task: Task): Promise<Task> {
  if (task.next.kind !== 'over' || task.next.stop === undefined) return task;
  const ended = await readRounds(turn, task);
  const { rounds, usedMs, grant } = task;
  const calls = countCalls(ended.map(({ view }) => view));
  return {
    ...task,
    grant: { number: grant.number + 1, rounds: rounds.length, calls, usedMs },
    next: { kind: rounds.at(-1)?.runId === undefined ? 'run' : 'look' },
  };
}
