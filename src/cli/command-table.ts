import type { RunCommand } from './invocation.ts';

/** A command as the parser and its help know it. The work is loaded when it runs. */
export interface CommandSpec {
  readonly name: string;
  /** Operands in commander's notation: `<needed> [optional] [many...]`. */
  readonly operands: string;
  readonly summary: string;
  readonly options?: readonly (readonly [flags: string, description: string])[];
  /** Paragraph below the options. */
  readonly notes?: string;
  readonly examples: readonly string[];
  readonly load: () => Promise<{ readonly run: RunCommand }>;
}

export const commands: readonly CommandSpec[] = [
  {
    name: 'call',
    operands: '<tool> [arguments...]',
    summary: 'call a tool and print what it returns',
    options: [
      ['--args <json>', 'arguments as a JSON object'],
      ['--args-file <file>', 'arguments from a JSON file; - is standard input'],
    ],
    notes: `Arguments are name=value; the tool's input schema says what a value is: text stays text, numbers,
true/false, lists and objects are read as JSON. A list argument may be given several times.
name=@FILE takes the value from a file (name=@@x is the text "@x"), name=- from standard input.
Where several ways give the same argument, name=value beats --args, and --args beats --args-file.`,
    examples: [
      `tutti call code.format_code language=python code='def f( a,b ):return a+b'`,
      'tutti call code.review_code path=src --json',
      'tutti call code.format_code language=go code=@main.go',
      'cat app.py | tutti call code.analyze_complexity language=python code=-',
    ],
    load: () => import('./commands/call.ts'),
  },
  {
    name: 'tools',
    operands: '[query]',
    summary: 'list the tools, search them, or show one',
    options: [['-k, --limit <count>', 'show at most this many']],
    examples: ['tutti tools', 'tutti tools "security" -k 3', 'tutti tools code.format_code --json'],
    load: () => import('./commands/tools.ts'),
  },
  {
    name: 'resources',
    operands: '[uri]',
    summary: 'list the resources, or print one',
    examples: ['tutti resources', 'tutti resources standards://python'],
    load: () => import('./commands/resources.ts'),
  },
  {
    name: 'prompts',
    operands: '[name] [arguments...]',
    summary: 'list the prompts, or fill one in',
    notes:
      'Arguments are name=value; name=@FILE takes the value from a file, name=- from standard input.',
    examples: ['tutti prompts', 'tutti prompts standards.code_review language=python code=@app.py'],
    load: () => import('./commands/prompts.ts'),
  },
  {
    name: 'mcp',
    operands: '',
    summary: 'speak MCP on standard input and output, for Claude, Cursor, VS Code and others',
    options: [['--only <servers>', 'serve just these servers, separated by commas']],
    notes: 'Log lines go to the log file; standard output carries nothing but the protocol.',
    examples: ['tutti mcp', 'tutti mcp --only standards'],
    load: () => import('./commands/mcp.ts'),
  },
  {
    name: 'serve',
    operands: '',
    summary: 'serve MCP over HTTP until it is stopped',
    options: [
      ['--host <address>', 'address to listen on (setting server.host)'],
      ['--port <number>', 'port to listen on, 0 for a free one (setting server.port)'],
    ],
    notes: `The first line on standard output is "listening on URL". Ctrl-C or SIGTERM lets running calls finish
for a short while and ends with exit code 0.`,
    examples: [
      'tutti serve',
      'tutti serve --port 0',
      'TUTTI_SERVER_AUTH_TOKEN=… tutti serve --host 0.0.0.0',
    ],
    load: () => import('./commands/serve.ts'),
  },
  {
    name: 'config',
    operands: '[prefix]',
    summary: 'show the effective settings, each with where it came from; secrets are hidden',
    examples: [
      'tutti config',
      'tutti config server',
      'tutti --set server.port=9000 config server.port --json',
    ],
    load: () => import('./commands/config.ts'),
  },
  {
    name: 'doctor',
    operands: '',
    summary: 'check that everything Tutti needs is in order',
    notes: 'Ends with exit code 1 when a check failed; warnings do not count.',
    examples: ['tutti doctor', 'tutti doctor --json'],
    load: () => import('./commands/doctor.ts'),
  },
  {
    name: 'trace',
    operands: '[id]',
    summary: 'list the latest traces, or print one as a tree with times',
    options: [['-k, --limit <count>', 'list at most this many (20)']],
    examples: ['tutti trace', 'tutti trace 4bf92f35', 'tutti trace 4bf92f35 --json'],
    load: () => import('./commands/trace.ts'),
  },
  {
    name: 'backup',
    operands: '[target]',
    summary: 'copy the database to a file while it is in use',
    options: [['--force', 'overwrite the target']],
    examples: ['tutti backup', 'tutti backup backups/monday.db --force'],
    load: () => import('./commands/backup.ts'),
  },
];
