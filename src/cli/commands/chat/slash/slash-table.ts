import { nearest } from '../../../../kernel/index.ts';
import data from './slash-commands.json' with { type: 'json' };

/** A chat command as completion and `/help` show it. */
interface SlashCommand {
  readonly name: SlashName;
  readonly otherNames?: readonly string[];
  readonly operands: string;
  readonly summary: string;
}

export type SlashName = keyof typeof data;

export const slashCommands = Object.entries(data).map(([name, command]): SlashCommand => ({
  // A key of the table.
  name: name as SlashName,
  ...command,
}));

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
  const found = slashCommands.find(
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
