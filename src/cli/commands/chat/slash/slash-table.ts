import { nearest } from '../../../../kernel/index.ts';

/** A chat command as completion and `/help` show it. */
interface SlashCommand {
  readonly name: string;
  readonly otherNames?: readonly string[];
  readonly operands: string;
  readonly summary: string;
}

export const slashCommands = [
  {
    name: 'help',
    otherNames: ['?'],
    operands: '',
    summary: 'list the commands, and how to write messages',
  },
  { name: 'tools', operands: '[query]', summary: 'list the tools, search them, or show one' },
  { name: 'servers', operands: '[action…]', summary: 'list the MCP servers and their state' },
  {
    name: 'models',
    operands: '[use|refuse name]',
    summary: 'list the language models, and how to connect one',
  },
  {
    name: 'plan',
    operands: '[yes|no|number]',
    summary: 'show the last plan; run it, drop it, or run another proposal',
  },
  {
    name: 'runs',
    operands: '[action…]',
    summary: 'list the latest runs; takes every action of "tutti runs"',
  },
  { name: 'approve', operands: '[run] [step]', summary: 'approve the waiting step, and continue' },
  { name: 'deny', operands: '[run] [step]', summary: 'deny it' },
  { name: 'session', operands: '', summary: 'show the current conversation' },
  {
    name: 'sessions',
    operands: '[action…]',
    summary: 'list the latest conversations; takes every action of "tutti sessions"',
  },
  {
    name: 'memory',
    operands: '[action…]',
    summary: 'list what is remembered; takes every action of "tutti memory"',
  },
  { name: 'history', operands: '[count]', summary: 'show the turns of this conversation' },
  {
    name: 'clear',
    otherNames: ['new'],
    operands: '',
    summary: 'start a new conversation; this one is kept',
  },
  { name: 'save', operands: '[file]', summary: 'write the conversation to a file as JSON' },
  {
    name: 'load',
    operands: '<id|file>',
    summary: 'continue another conversation, or one from a file',
  },
  {
    name: 'fork',
    operands: '[turn]',
    summary: 'continue in a copy of this conversation, up to a turn',
  },
  { name: 'attach', operands: '<file>…', summary: 'attach files to the next message' },
  {
    name: 'paste',
    operands: '[language]',
    summary: 'attach all lines up to /end to the next message',
  },
  {
    name: 'good',
    operands: '[why]',
    summary: 'say that the last answer was good',
  },
  { name: 'bad', operands: '[why]', summary: 'say that it was not, and why' },
  {
    name: 'preferences',
    operands: '[action…]',
    summary: 'list what you prefer; takes every action of "tutti preferences"',
  },
  { name: 'forget', operands: '<preference>', summary: 'forget one of them' },
  {
    name: 'exit',
    otherNames: ['quit', 'bye'],
    operands: '',
    summary: 'leave; the conversation is kept',
  },
] as const satisfies readonly SlashCommand[];

export type SlashName = (typeof slashCommands)[number]['name'];

/** A chat command as typed. */
export interface Slash {
  readonly name: string;
  /** Everything after the name, unchanged. */
  readonly text: string;
  readonly words: readonly string[];
}

/** A line that is a command. `command` is undefined where no command has that name. */
export interface FoundCommand {
  readonly slash: Slash;
  readonly command: SlashName | undefined;
}

export const slashNames = slashCommands.map(({ name }) => `/${name}`);

/**
 * The command of a line: an existing one, a misspelt one, or a lone `/word`. Undefined for a message, such as
 * "/etc is full".
 */
export function findCommand(line: string): FoundCommand | undefined {
  // "exit" alone is a wish to leave, too.
  const slash = parseSlash(/^\s*(?:exit|quit)\s*$/i.test(line) ? `/${line.trim()}` : line);
  if (!slash) return undefined;
  const all: readonly (SlashCommand & { readonly name: SlashName })[] = slashCommands;
  const found = all.find(
    ({ name, otherNames = [] }) => name === slash.name || otherNames.includes(slash.name),
  );
  const isMeant = found ?? (slash.words.length === 0 || nearest(`/${slash.name}`, slashNames));
  return isMeant ? { slash, command: found?.name } : undefined;
}

/** `/name words…`, with quotes around words that contain spaces; undefined for a message: `/usr/bin is …`. */
function parseSlash(message: string): Slash | undefined {
  const found = /^\/([a-z?][\w-]*)(?:\s([^]*))?$/i.exec(message.trimEnd());
  if (!found) return undefined;
  const [, name = '', text = ''] = found;
  const words = [...text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? '',
  );
  return { name: name.toLowerCase(), text: text.trim(), words };
}
