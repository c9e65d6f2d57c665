import { Readable } from 'node:stream';
import { loadCommand } from '../../../command-table.ts';
import { UsageError } from '../../../errors.ts';
import type { System } from '../../../../compose/index.ts';
import type { Chat } from '../chat.ts';

/** Runs a command of the command line on the system that the chat has open. */
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
  // Help was printed.
  if (!parsed) return { run: async () => 0, operands: [], options: {} };
  const run = await loadCommand[parsed.command]?.();
  if (!run) throw new UsageError(`There is no command "${parsed.command}"`);
  return { run, operands: parsed.operands, options: parsed.options };
}

/** The same system without `close` and warnings, which belong to the chat. */
function borrowed(system: System): System {
  const settings: System['settings'] = { warnings: [], describe: () => system.settings.describe() };
  // Not a copy: members that open on first use stay closed.
  return Object.create(system, {
    settings: { value: settings },
    close: { value: async () => {} },
  });
}
