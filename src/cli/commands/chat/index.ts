import { join } from 'node:path';
import type { Session } from '../../../contract/session/index.ts';
import { pluralize, TimeLimitError, withTimeLimit } from '../../../kernel/index.ts';
import { UsageError } from '../../errors.ts';
import { findSession } from '../../find-session.ts';
import { inFolderOf } from '../../in-folder.ts';
import { type Invocation, textOption } from '../../invocation.ts';
import { offerModels } from '../../offer-models.ts';
import type { System } from '../../../compose/index.ts';
import { placeOf } from './attachments.ts';
import { converse } from './converse.ts';
import { type ChatInput, openPipeInput } from './input/chat-input.ts';
import { slashCommands } from './slash/slash-table.ts';

/** `tutti chat`: messages one after the other, at a terminal or from a pipe. */
export async function run(invocation: Invocation): Promise<number> {
  const { io, output } = invocation;
  if (output.isJson) {
    throw new UsageError('A chat is no single document: use "tutti ask --json" for each message');
  }
  const isTerminal = 'isTTY' in io.stdin && io.stdin.isTTY === true && io.stdout.isTTY === true;
  if (isTerminal) return chatHere(invocation, (system) => openTerminal(invocation, system));
  const input = openPipeInput(io.stdin, io.signal);
  const first = await input.next();
  if (first !== undefined) return chatHere(invocation, async () => input, first);
  await showHelp(invocation);
  return 0;
}

/** Shown for empty input. */
async function showHelp({ io }: Invocation): Promise<void> {
  const { createProgram } = await import('../../program.ts');
  const out = (text: string): void => void io.stdout.write(text);
  createProgram({ out, err: out }, () => {}).outputHelp();
}

function chatHere(
  invocation: Invocation,
  open: (system: System) => Promise<ChatInput>,
  first?: string,
): Promise<number> {
  const wanted = textOption(invocation, 'session');
  const find = async (system: System): Promise<Partial<Session>> =>
    wanted === undefined ? {} : findSession(invocation, system, wanted);
  return inFolderOf(invocation, find, async (system, { id, title, turns = [] }) => {
    if (id !== undefined) {
      invocation.output.note(`Going on with "${title}" (${pluralize(turns.length, 'turn')})`);
    }
    const state = { session: id, attachments: [], last: undefined, nextLine: undefined };
    const input = await open(system);
    try {
      const said = await offerModels(system, invocation.output, input.ask);
      if (input.ask) await greet(system, invocation);
      return await converse({ invocation, system, input, state }, first ?? said);
    } finally {
      await input.close();
    }
  });
}

async function openTerminal(invocation: Invocation, system: System): Promise<ChatInput> {
  const { io, output } = invocation;
  const [{ TerminalInput }, { openLineHistory }, { completeLine }] = await Promise.all([
    import('./input/terminal-input.ts'),
    import('./input/line-history.ts'),
    import('./input/complete-line.ts'),
  ]);
  const completable = {
    commands: slashCommands.map(({ name }) => `/${name}`),
    tools: async () => (await system.catalogue.entries()).map(({ name }) => name),
    place: placeOf(system, io),
  };
  const home = system.settings.describe().find(({ key }) => key === 'home')?.value;
  return new TerminalInput({
    io,
    history: await openLineHistory(join(typeof home === 'string' ? home : io.cwd, historyFile)),
    complete: (line) => completeLine(line, completable),
    prompt: `${output.paint.bold('tutti>')} `,
    furtherPrompt: output.paint.dim('  ... '),
  });
}

const historyFile = 'chat-history';

/** The prompt does not wait longer than this for a model that does not respond. */
const findLimitMs = 1_000;

/** Prints the version and the model, before the first prompt. */
export async function greet(
  { version, models }: System,
  { io, output }: Invocation,
): Promise<void> {
  const { paint } = output;
  io.stdout.write(
    `${paint.bold(`Tutti ${version}`)}  ${paint.dim('/help lists the commands, Ctrl-D leaves')}\n`,
  );
  io.stdout.write(`${paint.dim(await describeModel(models, io.signal))}\n`);
}

async function describeModel(models: System['models'], signal: AbortSignal): Promise<string> {
  try {
    const limit = { what: 'Looking for a model', limitMs: findLimitMs, signal };
    const model = await withTimeLimit(limit, () => models.find('agent'));
    if (model) return `Model: ${model.name}`;
    return 'No model: plans are made without one. "/models" shows how to connect one';
  } catch (error) {
    if (error instanceof TimeLimitError) return 'Still looking for a model';
    return `No model: ${error instanceof Error ? error.message : String(error)}`;
  }
}
