import { CommanderError } from 'commander';
import { UsageError } from './errors.ts';
import { flagsOf } from './global-flags.ts';
import { impliedCommand } from './implied-command.ts';
import type { Io } from './io.ts';
import { createOutput } from './output.ts';
import { createProgram, type Parsed } from './program.ts';

const exitCancelled = 130;
const exitUsage = 2;

/**
 * Runs one command line and says its exit code; never throws and never ends the process. Nothing
 * but this room is loaded for help and version, which have to be quick.
 */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  // Whether JSON is wanted must be known even when the command line is not understood.
  const isJson = argv.includes('--json');
  try {
    const parsed = await parse(argv, io);
    return typeof parsed === 'number' ? parsed : await run(parsed, io);
  } catch (error) {
    if (io.signal.aborted) {
      io.stderr.write('Cancelled\n');
      return exitCancelled;
    }
    const { reportFailure } = await import('./report-failure.ts');
    return reportFailure(error, { io, isJson, isDebug: argv.includes('--debug') });
  }
}

/** The command, or the exit code when help or the version was all that was asked for. */
async function parse(argv: readonly string[], io: Io): Promise<Parsed | number> {
  let parsed: Parsed | undefined;
  let complaint = '';
  const screens = {
    out: (text: string) => void io.stdout.write(text),
    err: (text: string) => void (complaint += text),
  };
  const program = createProgram(screens, (found) => {
    parsed = found;
  });
  try {
    program.parse(impliedCommand(argv), { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return 0;
    const hint = error.code === 'commander.unknownCommand' ? messageHint : '';
    if (error.code !== 'commander.help') throw new UsageError(`${sentence(error.message)}${hint}`);
    if (argv.includes('--json')) throw new UsageError('No command was given');
    io.stderr.write(complaint);
    return exitUsage;
  }
  return parsed ?? exitUsage;
}

async function run({ load, operands, options }: Parsed, io: Io): Promise<number> {
  const { run: runCommand } = await load();
  const flags = flagsOf(options);
  const output = await createOutput(io, options['json'] === true);
  return runCommand({ operands, options, io, output, flags });
}

/** One word may have been meant as a message. */
const messageHint = '. A message is given in quotes, or after "ask"';

/** Commander's `error: unknown command 'x'\n(Did you mean y?)` as one of our sentences. */
function sentence(message: string): string {
  const text = message.replace(/^error: /, '').replaceAll('\n', ' ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
