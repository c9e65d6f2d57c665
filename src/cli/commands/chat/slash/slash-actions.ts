import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { localCaller } from '../../../../contract/caller/index.ts';
import type { Session, Turn } from '../../../../contract/session/index.ts';
import { pluralize } from '../../../../kernel/index.ts';
import { ApprovalUnseenError, UnknownNameError, UsageError } from '../../../errors.ts';
import type { Io } from '../../../io.ts';
import { cutText, formatColumns, timeShower } from '../../../output.ts';
import { ownEscape } from '../../../printable.ts';
import { readInput } from '../../../read-input.ts';
import { describeGiven } from '../../feedback.ts';
import { findApproval, showCall } from '../../runs/approvals.ts';
import { maxAttachments, placeOf, readAttachment } from '../attachments.ts';
import { type Chat, chatTurn, lastPlan, type RunSlash } from '../chat.ts';
import { goingOn } from '../turn/next-request.ts';
import { runCommandLine } from './command-line.ts';
import {
  type FoundCommand,
  type Slash,
  slashCommands,
  type SlashName,
  slashNames,
} from './slash-table.ts';

const usualTurns = 20;
const maxCount = 1_000;
const maxTurnText = 2_000;
const maxFileBytes = 67_108_864;

const session: RunSlash = async (chat) => {
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

const history: RunSlash = async (chat, { words }) => {
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

const clear: RunSlash = async ({ invocation, state }) => {
  state.session = undefined;
  state.last = undefined;
  state.attachments = [];
  if (invocation.io.stdout.isTTY === true)
    invocation.io.stdout.write(`${ownEscape}[H${ownEscape}[2J`);
  invocation.output.note('The next message begins a new conversation');
  return 0;
};

const save: RunSlash = async (chat, { text }) => {
  const { id } = await current(chat);
  const file = text === '' ? `tutti-${id}.json` : text;
  return runCommandLine(chat, ['sessions', 'export', id, file]);
};

const load: RunSlash = async (chat, { text }) => {
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

const fork: RunSlash = async (chat, { words }) => {
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

/** A command of the command line, run on the system that the chat has open. */
const onCommandLine =
  (name: string): RunSlash =>
  (chat, { words }) =>
    runCommandLine(chat, [name, ...words]);

const actions: Readonly<Record<SlashName, RunSlash>> = {
  help,
  tools: (chat, { text }) => runCommandLine(chat, text === '' ? ['tools'] : ['tools', text]),
  servers: onCommandLine('servers'),
  models: onCommandLine('models'),
  plan,
  runs: onCommandLine('runs'),
  approve: (chat, { words }) => decide(chat, 'approved', words),
  deny: (chat, { words }) => decide(chat, 'denied', words),
  session,
  sessions: onCommandLine('sessions'),
  memory: onCommandLine('memory'),
  history,
  clear,
  save,
  load,
  fork,
  attach,
  paste,
  good: (chat, { text }) => judge(chat, text, true),
  bad: (chat, { text }) => judge(chat, text, false),
  preferences: onCommandLine('preferences'),
  forget,
  exit: async () => 'exit',
};

/** Runs a chat command. Returns the exit code, or `exit` when the chat is over. */
export async function runCommand(
  chat: Chat,
  { slash, command }: FoundCommand,
): Promise<number | 'exit'> {
  if (!command) throw new UnknownNameError('command', `/${slash.name}`, slashNames);
  return actions[command](chat, slash);
}

async function help({ invocation }: Chat): Promise<number> {
  const rows = slashCommands.map(({ name, operands, summary }) => [
    `  /${name} ${operands}`.trimEnd(),
    summary,
  ]);
  invocation.output.result(undefined, () => `${formatColumns(rows)}\n${writing}`);
  return 0;
}

const writing = `
Everything else is a message. @path attaches a file; Tab completes commands, tools and @paths.
A line that ends in \\ continues on the next one, as do lines between \`\`\`; pasted text is one message.
Ctrl-C cancels what is running, or clears the line; twice at an empty prompt, or Ctrl-D, leaves.
A message that starts with a space is not stored in the history.`;

/** `/plan`: the last plan; `/plan yes`, `/plan 2`, `/plan no`: the same as without `/plan`. */
async function plan(chat: Chat, { text }: Slash): Promise<number> {
  const { invocation, system, state } = chat;
  const { session } = state;
  if (text !== '' && session !== undefined) return chatTurn(chat, { message: text, session });
  const last = lastPlan(state);
  if (!last) throw new UsageError('There is no plan yet: say what you want');
  const drawing = await system.workflows.draw(last, 'text');
  invocation.output.result(last, () => drawing);
  return 0;
}

async function decide(
  chat: Chat,
  verdict: 'approved' | 'denied',
  [run, step]: readonly string[],
): Promise<number> {
  const { system, state } = chat;
  // Only a question belongs to a run that waits; an answer tells of one that is over.
  const waiting = state.last?.kind === 'question' ? state.last.runId : undefined;
  const runId = run ?? waiting;
  const verb = verdict === 'approved' ? 'approve' : 'deny';
  if (runId === undefined) {
    throw new UsageError(
      `Nothing waits for approval here. "/${verb} RUN [STEP]" decides about another run`,
    );
  }
  const { session } = state;
  if (session === undefined || waiting?.startsWith(runId) !== true) {
    return runCommandLine(chat, ['runs', verb, runId, ...(step ? [step] : [])]);
  }
  const shown =
    verdict === 'approved'
      ? await findApproval(system.workflows, { runId: waiting, step })
      : undefined;
  if (shown && showCall(shown).isCut) throw new ApprovalUnseenError(waiting, shown.step);
  await system.workflows.decide(localCaller, waiting, {
    verdict,
    ...(step && { step }),
    ...(shown && { approvalId: shown.approvalId }),
  });
  return chatTurn(chat, goingOn(session));
}

async function attach(chat: Chat, { words }: Slash): Promise<number> {
  const { invocation, system, state } = chat;
  if (words.length === 0) throw new UsageError('"/attach" needs the path of a file');
  for (const word of words) {
    checkAttachmentCount(chat);
    const path = word.replace(/^@/, '');
    state.attachments.push(await readAttachment(path, placeOf(system, invocation.io)));
  }
  noteAttached(chat);
  return 0;
}

async function paste(chat: Chat, { text }: Slash): Promise<number> {
  checkAttachmentCount(chat);
  const [first = '', ...lines] = text.split('\n');
  const content = lines.join('\n');
  if (content === '') throw new UsageError('There is no text between /paste and /end');
  const language = first.trim();
  chat.state.attachments.push({
    name: `pasted ${chat.state.attachments.length + 1}`,
    content: `${content}\n`,
    ...(language !== '' && { language }),
  });
  noteAttached(chat);
  return 0;
}

function checkAttachmentCount({ state }: Chat): void {
  if (state.attachments.length < maxAttachments) return;
  throw new UsageError(`A message can have ${maxAttachments} attachments`);
}

function noteAttached({ invocation, state }: Chat): void {
  const names = state.attachments.map(({ name }) => name).join(', ');
  invocation.output.note(`Attached to the next message: ${names}`);
}

async function judge(
  { invocation, system, state }: Chat,
  reason: string,
  isGood: boolean,
): Promise<number> {
  const { session } = state;
  if (session === undefined) throw new UsageError('There is no answer yet: say what you want');
  const given = await system.feedback.give(localCaller, { about: { session }, isGood, reason });
  invocation.output.note(describeGiven(given));
  return 0;
}

async function forget(chat: Chat, { text }: Slash): Promise<number> {
  if (text === '')
    throw new UsageError('"/forget" needs one of the preferences that "/preferences" lists');
  return runCommandLine(chat, ['preferences', 'forget', text]);
}
