import { Readable } from 'node:stream';
import { UsageError } from '../../../errors.ts';
import type { System } from '../../../system.ts';
import type { Chat } from '../chat.ts';
import type { RunSlash } from './slash-commands.ts';

/** Chat commands that are commands of the command line, done on the system the chat has open. */
export const tools: RunSlash = (chat, { text }) =>
  runCommandLine(chat, text === '' ? ['tools'] : ['tools', text]);
export const servers: RunSlash = (chat, { words }) => runCommandLine(chat, ['servers', ...words]);
export const models: RunSlash = (chat, { words }) => runCommandLine(chat, ['models', ...words]);
export const runs: RunSlash = (chat, { words }) => runCommandLine(chat, ['runs', ...words]);
export const sessions: RunSlash = (chat, { words }) => runCommandLine(chat, ['sessions', ...words]);

export async function runCommandLine(chat: Chat, argv: readonly string[]): Promise<number> {
  const { invocation, system, input } = chat;
  const { run, operands, options } = await parse(chat, argv);
  return input.during(async (signal) => {
    const compose = await invocation.io.compose();
    const openSystem = async (): Promise<System> => borrowed(system);
    return run({
      ...invocation,
      operands,
      options,
      io: {
        ...invocation.io,
        signal,
        // The chat reads the terminal itself.
        stdin: Readable.from([]),
        compose: async () => ({ ...compose, openSystem }),
      },
    });
  });
}

async function parse({ invocation }: Chat, argv: readonly string[]) {
  const [{ createProgram }, { CommanderError }] = await Promise.all([
    import('../../../program.ts'),
    import('commander'),
  ]);
  const found: Parameters<Parameters<typeof createProgram>[1]>[0][] = [];
  const screens = { out: (text: string) => void invocation.io.stdout.write(text), err: () => {} };
  try {
    createProgram(screens, (parsed) => found.push(parsed)).parse(argv, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode !== 0) throw new UsageError(error.message.replace(/^error: /, ''));
  }
  const [parsed] = found;
  // Help was asked for, and is all there is to do.
  if (!parsed) return { run: async () => 0, operands: [], options: {} };
  const { run } = await parsed.load();
  return { run, operands: parsed.operands, options: parsed.options };
}

/** The same system, which the command can neither close nor warn about again. */
function borrowed(system: System): System {
  const settings: System['settings'] = { warnings: [], describe: () => system.settings.describe() };
  // What is behind a getter stays unopened.
  return Object.create(system, {
    settings: { value: settings },
    close: { value: async () => {} },
  });
}
