import { nearest } from '../../../../kernel/index.ts';
import { UnknownNameError } from '../../../errors.ts';
import type { Chat } from '../chat.ts';
import { parseSlash, type Slash } from './parse-slash.ts';
import { slashCommands, type SlashCommand } from './slash-commands.ts';

/** A line that is a command, and which; none where nothing is called like that. */
export interface FoundCommand {
  readonly slash: Slash;
  readonly command: SlashCommand | undefined;
}

const names = slashCommands.map(({ name }) => `/${name}`);

/**
 * The command that a line is: one that there is, one that was meant by the look of it, or a lone `/word`.
 * Undefined for a message, such as "/etc is full".
 */
export function findCommand(line: string): FoundCommand | undefined {
  // Who types only this wants to leave.
  const slash = parseSlash(/^\s*(?:exit|quit)\s*$/i.test(line) ? `/${line.trim()}` : line);
  if (!slash) return undefined;
  const command = slashCommands.find(
    ({ name, otherNames = [] }) => name === slash.name || otherNames.includes(slash.name),
  );
  const isMeant = command ?? (slash.words.length === 0 || nearest(`/${slash.name}`, names));
  return isMeant ? { slash, command } : undefined;
}

/** Runs a chat command. Says the exit code, or that the chat is over. */
export async function runCommand(
  chat: Chat,
  { slash, command }: FoundCommand,
): Promise<number | 'exit'> {
  if (!command) throw new UnknownNameError('command', `/${slash.name}`, names);
  const { run } = await command.load();
  return run(chat, slash);
}
