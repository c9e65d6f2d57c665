import { CommanderError } from 'commander';
import { commands, loadCommand } from './command-table.ts';
import { NotRemoteCommandError, UsageError } from './errors.ts';
import { flagsOf } from './invocation.ts';
import { describeParseError, impliedCommand, typedCommand, unknownCommand } from './parse-error.ts';
import type { Io, ProcessIo } from './io.ts';
import { createOutput } from './output.ts';
import { printableStream } from './printable.ts';
import { createProgram, type Parsed } from './program.ts';

const exitCancelled = 130;
const exitUsage = 2;

/**
 * Runs one command line and says its exit code; never throws and never ends the process. Nothing
 * but this room is loaded for help and version, which have to be quick.
 */
export async function main(argv: readonly string[], given: ProcessIo): Promise<number> {
  const io = printableIo(given);
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

/** One place cleans all that servers, models and files say, whatever command shows it. */
function printableIo(given: ProcessIo): Io {
  const { stdout, stderr, env, cwd, signal, compose, desk } = given;
  return {
    get stdin() {
      return given.stdin;
    },
    stdout: printableStream(stdout),
    stderr: printableStream(stderr),
    rawStdout: stdout,
    env,
    cwd,
    signal,
    compose,
    desk,
  };
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
    if (error.code !== 'commander.help') throw new UsageError(describeParseError(error, argv));
    const [, topic] = argv[0] === 'help' ? argv : [];
    if (topic !== undefined) throw new UsageError(unknownCommand(topic));
    if (argv.includes('--json')) throw new UsageError('No command was given');
    io.stderr.write(complaint);
    return exitUsage;
  }
  return parsed ?? exitUsage;
}

async function run(
  { command, operands, options }: Parsed,
  argv: readonly string[],
  io: Io,
): Promise<number> {
  const runCommand = await loadCommand[command]?.();
  if (!runCommand) throw new UsageError(unknownCommand(command));
  const dashesAt = argv.indexOf('--');
  const afterDashes = dashesAt < 0 ? undefined : argv.length - dashesAt - 1;
  const flags = flagsOf(options);
  const output = createOutput(io, options['json'] === true);
  const isLocal = commands.find(({ name }) => name === command)?.isLocal === true;
  // `logs --server NAME` names one of this machine.
  if (isLocal && String(options['server']).includes('://')) throw new NotRemoteCommandError();
  return runCommand({ operands, afterDashes, options, io, output, flags, isLocal });
}
