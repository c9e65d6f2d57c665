import { localCaller } from '../../../contract/caller/index.ts';
import type { Session, SessionSummary, Turn } from '../../../contract/session/index.ts';
import { withSystem, type Invocation } from '../../invocation.ts';
import { limitOption } from '../../limit-option.ts';
import { cutText, formatColumns, type Paint } from '../../output.ts';
import { timeShower, type ShowTime } from '../../show-time.ts';

const usualCount = 20;
/** Longer turns are for `--json`. */
const maxShown = 4_000;

export function listSessions(invocation: Invocation): Promise<number> {
  const limit = limitOption(invocation, usualCount);
  return withSystem(invocation, {}, async ({ memory }) => {
    const sessions = await memory.sessions.list(localCaller, { limit });
    invocation.output.result(sessions, () =>
      sessions.length === 0
        ? 'There are no sessions: "tutti chat" or "tutti ask" begins one'
        : formatColumns(sessions.map((session) => row(session, timeShower(invocation.io)))),
    );
    return 0;
  });
}

function row(
  { id, updatedAt, turns, isOpen, title }: SessionSummary,
  showTime: ShowTime,
): readonly string[] {
  const count = `${turns} ${turns === 1 ? 'turn' : 'turns'}`;
  return [id, showTime(updatedAt), count, isOpen ? 'open' : '', title];
}

export function showSession(invocation: Invocation, [id = '']: readonly string[]): Promise<number> {
  const { output } = invocation;
  return withSystem(invocation, {}, async ({ memory }) => {
    const session = await memory.sessions.show(localCaller, id);
    const showTime = timeShower(invocation.io);
    output.result(session, () => sessionText(session, { paint: output.paint, showTime }));
    return 0;
  });
}

interface Shown {
  readonly paint: Paint;
  readonly showTime: ShowTime;
}

function sessionText({ id, title, forkedFrom, summary, turns }: Session, shown: Shown): string {
  const { paint } = shown;
  const lines = [`${paint.bold(title === '' ? 'untitled' : title)} ${paint.dim(id)}`];
  if (forkedFrom !== null) {
    lines.push(paint.dim(`forked from ${forkedFrom.session} after turn ${forkedFrom.turn}`));
  }
  if (summary !== null) {
    lines.push(paint.dim(`up to turn ${summary.turn}: ${linesOf(summary.text)}`));
  }
  return [...lines, ...turns.map((turn) => turnText(turn, shown))].join('\n');
}

function turnText(turn: Turn, { paint, showTime }: Shown): string {
  const { number, at, role, text, outcome, runId, remembered } = turn;
  const about = [
    showTime(at),
    ...(outcome === undefined ? [] : [outcome]),
    ...(runId === undefined ? [] : [`run ${runId}`]),
    ...remembered.map(({ kind, title }) => `${kind} ${title}`),
  ];
  const who = paint.bold(`${number} ${role}`);
  return `\n${who} ${paint.dim(about.join(', '))}\n${linesOf(text)}`;
}

/** Lines stay lines; nothing else in them moves the cursor. */
function linesOf(text: string): string {
  return cutText(text, maxShown);
}
