import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { localCaller } from '../../../../contract/caller/index.ts';
import type { Session, Turn } from '../../../../contract/session/index.ts';
import { pluralize } from '../../../../kernel/index.ts';
import { UsageError } from '../../../errors.ts';
import type { Io } from '../../../io.ts';
import { ownEscape } from '../../../printable.ts';
import { cutText, formatColumns, timeShower } from '../../../output.ts';
import { readInput } from '../../../read-input.ts';
import type { Chat, RunSlash } from '../chat.ts';
import { runCommandLine } from './command-line.ts';

const usualTurns = 20;
const maxCount = 1_000;
const maxTurnText = 2_000;
const maxFileBytes = 67_108_864;

export const session: RunSlash = async (chat) => {
  const { id, title, turns, createdAt, forkedFrom } = await current(chat);
  const rows = [
    ['id', id],
    ['title', title],
    ['turns', String(turns.length)],
    ['begun', timeShower(chat.invocation.io)(createdAt)],
    ...(forkedFrom ? [['forked from', `${forkedFrom.session}, turn ${forkedFrom.turn}`]] : []),
  ];
  chat.invocation.output.result(undefined, () => formatColumns(rows));
  return 0;
};

export const history: RunSlash = async (chat, { words }) => {
  const limit = countOf(words[0], usualTurns);
  const { turns } = await current(chat);
  const { paint } = chat.invocation.output;
  const showTime = timeShower(chat.invocation.io);
  const describe = ({ number, role, text, at }: Turn): string => {
    const who = role === 'user' ? 'you' : 'tutti';
    const when = paint.dim(showTime(at));
    return `${paint.bold(`${number} ${who}`)}  ${when}  ${cutText(text, maxTurnText)}`;
  };
  chat.invocation.output.result(undefined, () => turns.slice(-limit).map(describe).join('\n'));
  return 0;
};

export const clear: RunSlash = async ({ invocation, state }) => {
  state.session = undefined;
  state.last = undefined;
  state.attachments = [];
  if (invocation.io.stdout.isTTY === true)
    invocation.io.stdout.write(`${ownEscape}[H${ownEscape}[2J`);
  invocation.output.note('The next message begins a new conversation');
  return 0;
};

export const save: RunSlash = async (chat, { text }) => {
  const { id } = await current(chat);
  const file = text === '' ? `tutti-${id}.json` : text;
  return runCommandLine(chat, ['sessions', 'export', id, file]);
};

export const load: RunSlash = async (chat, { text }) => {
  if (text === '') throw new UsageError('"/load" wants the id of a conversation, or a file');
  const { invocation, system, state } = chat;
  const { sessions } = system.memory;
  const file = resolve(invocation.io.cwd, text);
  const isFile = await stat(file).then(
    (status) => status.isFile() && status.size <= maxFileBytes,
    () => false,
  );
  const { id } = isFile
    ? await sessions.import(localCaller, await readJson(text, invocation.io))
    : await sessions.show(localCaller, text);
  const found = await sessions.show(localCaller, id);
  state.session = id;
  state.last = undefined;
  invocation.output.note(
    `Going on with ${id}: "${found.title}", ${pluralize(found.turns.length, 'turn')}`,
  );
  return 0;
};

export const fork: RunSlash = async (chat, { words }) => {
  const { invocation, system, state } = chat;
  const from = await current(chat);
  const turn = words[0] === undefined ? undefined : countOf(words[0], usualTurns);
  const forked = await system.memory.sessions.fork(
    localCaller,
    from.id,
    turn === undefined ? {} : { upToTurn: turn },
  );
  state.session = forked.id;
  state.last = undefined;
  invocation.output.note(`Going on with ${forked.id}, a copy of ${from.id}`);
  return 0;
};

function current({ system, state }: Chat): Promise<Session> {
  if (state.session !== undefined) return system.memory.sessions.show(localCaller, state.session);
  throw new UsageError('The conversation begins with your first message');
}

async function readJson(file: string, io: Io): Promise<unknown> {
  try {
    return JSON.parse(await readInput(file, io));
  } catch (error) {
    throw new UsageError(`"${file}" is no saved conversation: ${String(error)}`, { cause: error });
  }
}

function countOf(word: string | undefined, otherwise: number): number {
  if (word === undefined) return otherwise;
  const count = /^\d{1,4}$/.test(word) ? Number(word) : 0;
  if (count >= 1 && count <= maxCount) return count;
  throw new UsageError(`A number from 1 to ${maxCount} is wanted, and this is "${word}"`);
}
