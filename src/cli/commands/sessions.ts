import { resolve } from 'node:path';
import { localCaller } from '../../contract/caller/index.ts';
import type { Session, SessionSummary, Turn } from '../../contract/session/index.ts';
import { pluralize } from '../../kernel/index.ts';
import { UsageError } from '../errors.ts';
import { findSession } from '../find-session.ts';
import { elsewhere } from '../in-folder.ts';
import { type Invocation, limitOption, textOption, withSystem } from '../invocation.ts';
import { cutText, formatColumns, type Paint, type ShowTime, timeShower } from '../output.ts';
import { readInput } from '../read-input.ts';
import { actionsOf } from '../run-action.ts';
import { writeWhole } from '../write-whole.ts';

export const run = actionsOf('sessions', {
  list: { run: listSessions, takes: [], options: ['limit'] },
  show: { run: showSession, takes: ['SESSION'], options: [] },
  fork: { run: forkSession, takes: ['SESSION'], options: ['turn'] },
  export: { run: exportSession, takes: ['SESSION', 'FILE?'], options: ['force'] },
  import: { run: importSession, takes: ['FILE'], options: [] },
  rename: { run: renameSession, takes: ['SESSION', 'TITLE…'], options: [] },
  remove: { run: removeSession, takes: ['SESSION'], options: [] },
});

const usualCount = 20;
/** Longer turns are for `--json`. */
const maxShown = 4_000;

export function listSessions(invocation: Invocation): Promise<number> {
  const limit = limitOption(invocation, usualCount);
  return withSystem(invocation, {}, async ({ memory, folder }) => {
    const sessions = await memory.sessions.list(localCaller, { limit });
    const here = await folder();
    invocation.output.result(sessions, () =>
      sessions.length === 0
        ? 'There are no sessions: "tutti chat" or "tutti ask" begins one'
        : formatColumns(
            sessions.map((session) =>
              row(session, elsewhere(session, here), timeShower(invocation.io)),
            ),
          ),
    );
    return 0;
  });
}

function row(
  { id, updatedAt, turns, isOpen, title }: SessionSummary,
  place: string | undefined,
  showTime: ShowTime,
): readonly string[] {
  const count = `${turns} ${turns === 1 ? 'turn' : 'turns'}`;
  return [
    id,
    showTime(updatedAt),
    count,
    isOpen ? 'open' : '',
    title,
    place === undefined ? '' : `in ${place}`,
  ];
}

export function showSession(invocation: Invocation, [id = '']: readonly string[]): Promise<number> {
  const { output } = invocation;
  return withSystem(invocation, {}, async (system) => {
    const session = await findSession(invocation, system, id);
    const showTime = timeShower(invocation.io);
    output.result(session, () => sessionText(session, { paint: output.paint, showTime }));
    return 0;
  });
}

interface Shown {
  readonly paint: Paint;
  readonly showTime: ShowTime;
}

function sessionText(session: Session, shown: Shown): string {
  const { id, title, folder, forkedFrom, summary, turns } = session;
  const { paint } = shown;
  const lines = [`${paint.bold(title === '' ? 'untitled' : title)} ${paint.dim(id)}`];
  if (folder !== undefined) lines.push(paint.dim(`in ${folder}`));
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

export function forkSession(invocation: Invocation, [id = '']: readonly string[]): Promise<number> {
  const turn = textOption(invocation, 'turn');
  if (turn !== undefined && !/^\d{1,9}$/.test(turn)) {
    throw new UsageError(`--turn wants the number of a turn, and got "${turn}"`);
  }
  const options = turn === undefined ? {} : { upToTurn: Number(turn) };
  return withSystem(invocation, {}, async (system) => {
    const { id: exact } = await findSession(invocation, system, id);
    const forked = await system.memory.sessions.fork(localCaller, exact, options);
    invocation.output.result(
      forked,
      () =>
        `Session ${forked.id} has the first ${forked.turns === 1 ? 'turn' : `${forked.turns} turns`}. Go on with it: tutti chat --session ${forked.id}`,
    );
    return 0;
  });
}

export function renameSession(
  invocation: Invocation,
  [id = '', ...words]: readonly string[],
): Promise<number> {
  return withSystem(invocation, {}, async (system) => {
    const { id: exact } = await findSession(invocation, system, id);
    const session = await system.memory.sessions.open(localCaller, exact);
    try {
      await session.rename(words.join(' '));
      const { title } = session.current();
      invocation.output.result(
        { id: session.id, title },
        () => `Session ${session.id} is called "${title}"`,
      );
    } finally {
      await session.close();
    }
    return 0;
  });
}

export function removeSession(
  invocation: Invocation,
  [id = '']: readonly string[],
): Promise<number> {
  return withSystem(invocation, {}, async (system) => {
    const { id: exact, title } = await findSession(invocation, system, id);
    await system.memory.sessions.remove(localCaller, exact);
    invocation.output.result(
      { id: exact, isRemoved: true },
      () => `Session ${exact} "${title}" was removed, with its file`,
    );
    return 0;
  });
}

/** `sessions export SESSION [FILE]`: the JSON to a file, or to standard output. */
export function exportSession(
  invocation: Invocation,
  [id = '', file]: readonly string[],
): Promise<number> {
  const { io, output, options } = invocation;
  return withSystem(invocation, {}, async (system) => {
    const session = await findSession(invocation, system, id);
    const text = `${JSON.stringify(session, null, 2)}\n`;
    if (file === undefined) {
      output.result(session, () => text);
      return 0;
    }
    const path = resolve(io.cwd, file);
    const isForced = options['force'] === true;
    await writeWhole(path, { what: 'The session', text, isForced });
    output.result(
      { id: session.id, path, bytes: Buffer.byteLength(text) },
      () => `Session ${session.id} was written to ${path}`,
    );
    return 0;
  });
}

/** `sessions import FILE`: a session from JSON; `-` is standard input. */
export async function importSession(
  invocation: Invocation,
  [file = '']: readonly string[],
): Promise<number> {
  const data = parse(file, await readInput(file, invocation.io));
  return withSystem(invocation, {}, async ({ memory }) => {
    const imported = await memory.sessions.import(localCaller, data);
    const { id, title, turns } = imported;
    invocation.output.result(
      imported,
      () => `Session ${id} "${title}" was imported with ${pluralize(turns, 'turn')}`,
    );
    return 0;
  });
}

function parse(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`"${file}" was not imported: it is not JSON (${reason})`, {
      cause: error,
    });
  }
}
