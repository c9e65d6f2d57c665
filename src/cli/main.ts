import { CommanderError } from 'commander';
import { commands } from './command-table.ts';
import { UsageError } from './errors.ts';
import { flagsOf } from './global-flags.ts';
import { firstOperand, impliedCommand } from './implied-command.ts';
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
    return typeof parsed === 'number' ? parsed : await run(parsed, argv, io);
  } catch (error) {
    if (io.signal.aborted) {
      io.stderr.write('Cancelled\n');
      return exitCancelled;
    }
    const { reportFailure } = await import('./report-failure.ts');
    const isDebug = argv.includes('--debug');
    return reportFailure(error, { io, isJson, isDebug, command: typedCommand(argv) });
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
    if (error.code !== 'commander.help') {
      throw new UsageError(`${sentence(error.message)}${adviceFor(error.code, argv)}`);
    }
    if (argv.includes('--json')) throw new UsageError('No command was given');
    io.stderr.write(complaint);
    return exitUsage;
  }
  return parsed ?? exitUsage;
}

async function run(
  { load, operands, options }: Parsed,
  argv: readonly string[],
  io: Io,
): Promise<number> {
  const { run: runCommand } = await load();
  const dashesAt = argv.indexOf('--');
  const afterDashes = dashesAt < 0 ? undefined : argv.length - dashesAt - 1;
  const flags = flagsOf(options);
  const output = await createOutput(io, options['json'] === true);
  return runCommand({ operands, afterDashes, options, io, output, flags });
}

/** The command of a command line that may be wrong in every other respect. */
function typedCommand(argv: readonly string[]): string {
  const word = firstOperand(impliedCommand(argv));
  return commands.find(({ name }) => name === word)?.name ?? '';
}

/** What was probably meant by a command line that the parser refused. */
function adviceFor(code: string, argv: readonly string[]): string {
  if (code === 'commander.unknownCommand') return '. A message is given in quotes, or after "ask"';
  const at = argv.indexOf('add');
  const isProgram = argv[at - 1] === 'servers' && !(argv[at + 2] ?? '-').startsWith('-');
  if (code !== 'commander.unknownOption' || !isProgram || argv.includes('--')) return '';
  const [name = '', ...command] = argv.slice(at + 1);
  return `. Put -- before the command of the server: tutti servers add ${name} -- ${command.join(' ')}`;
}

/** Commander's `error: unknown command 'x'\n(Did you mean y?)` as one of our sentences. */
function sentence(message: string): string {
  const text = message.replace(/^error: /, '').replaceAll('\n', ' ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
