import { Command } from 'commander';
import { ownVersion } from '../kernel/index.ts';
import { commands, type CommandSpec } from './command-table.ts';

/** A parsed command line. */
export interface Parsed {
  readonly command: string;
  readonly operands: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
}

/** Where the parser writes help, and its error messages. */
export interface Screens {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/** The parser. Passes a parsed command to `onParsed`; throws commander's error for everything else, including help and version. */
export function createProgram(screens: Screens, onParsed: (parsed: Parsed) => void): Command {
  const program = new Command('tutti')
    .description(
      'Turns a request into a plan of MCP tool calls and runs it over a fleet of MCP servers.\n\n' +
        'tutti alone starts a chat; tutti "a message" asks for one thing (the same as tutti ask).',
    )
    .exitOverride()
    .configureOutput({ writeOut: screens.out, writeErr: screens.err, outputError: () => {} })
    .version(ownVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', 'print help for a command')
    .option('--json', 'print exactly one JSON document on standard output')
    .option(
      '--server <url>',
      'a running tutti serve to work with (TUTTI_SERVER; token: TUTTI_TOKEN)',
    )
    .option('--home <folder>', 'folder for data (setting home)')
    .option('--root <folder>', 'folder the tools may read; repeatable (setting roots)', collect)
    .option('--set <key=value>', 'any setting; repeatable', collect)
    .option('--log-level <level>', 'debug, info, warn, error or silent (setting logging.level)')
    .option('--debug', 'show stacks of errors, log everything, and show the log')
    .addHelpText('after', epilogue);
  for (const spec of commands) addCommand(program, spec, onParsed);
  return program;
}

const epilogue = `
Exit codes: 0 done, 1 failed, 2 bad usage or configuration, 3 refused by policy,
            4 needs an answer or approval, 130 cancelled.

Examples:
  tutti                          chat
  tutti "find secrets in src"    plan it, show it, run it, answer
  tutti tools                    every tool there is
  tutti call code.format_code language=python code='def f( a,b ):return a+b'
  tutti mcp                      serve MCP clients on standard input and output
  tutti help call                options and examples of a command`;

function addCommand(program: Command, spec: CommandSpec, onParsed: (parsed: Parsed) => void): void {
  const command = program
    .command(spec.operands === '' ? spec.name : `${spec.name} ${spec.operands}`)
    .description(spec.summary)
    .helpOption('-h, --help', 'print help');
  for (const [flags, description, many] of spec.options ?? []) {
    if (many) command.option(flags, description, collect);
    else command.option(flags, description);
  }
  const notes = spec.notes === undefined ? '' : `\n${spec.notes.join('\n')}\n`;
  const examples = spec.examples.map((example) => `  ${example}`).join('\n');
  command.addHelpText(
    'after',
    `${notes}\nExamples:\n${examples}\n\nGlobal options (--json, --home, --root, --set, …): tutti --help`,
  );
  command.action(() => {
    onParsed({ command: spec.name, operands: command.args, options: command.optsWithGlobals() });
  });
}

function collect(value: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, value];
}
