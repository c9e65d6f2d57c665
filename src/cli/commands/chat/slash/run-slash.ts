import { UnknownNameError } from '../../../errors.ts';
import type { Chat } from '../chat.ts';
import type { Slash } from './parse-slash.ts';
import { slashCommands } from './slash-commands.ts';

/** Runs a chat command. Says the exit code, or that the chat is over. */
export async function runSlash(chat: Chat, slash: Slash): Promise<number | 'exit'> {
  const command = slashCommands.find(
    ({ name, otherNames = [] }) => name === slash.name || otherNames.includes(slash.name),
  );
  if (!command) {
    const names = slashCommands.map(({ name }) => `/${name}`);
    throw new UnknownNameError('command', `/${slash.name}`, names);
  }
  const { run } = await command.load();
  return run(chat, slash);
}
