import { clientCommands } from './client-commands.ts';
import type { RunCommand } from './invocation.ts';

/** A command as the parser and its help know it. The work is loaded when it runs. */
export interface CommandSpec {
  readonly name: string;
  /** Operands in commander's notation: `<needed> [optional] [many...]`. */
  readonly operands: string;
  readonly summary: string;
  readonly options?: readonly CommandOption[];
  /** Paragraph below the options. */
  readonly notes?: string;
  readonly examples: readonly string[];
  readonly load: () => Promise<{ readonly run: RunCommand }>;
}

/** `many` options may be given several times. */
export type CommandOption = readonly [flags: string, description: string, many?: 'many'];

const onlyServers: CommandOption = [
  '--only <servers>',
  'serve only these servers, separated by commas',
];

const faces: readonly CommandOption[] = [
  ['--compact', 'list only a few tools that find and call the others'],
  ['--all', 'list every tool, however many there are'],
];

export const commands: readonly CommandSpec[] = [
  {
    name: 'call',
    operands: '<tool> [arguments...]',
    summary: 'call a tool and print what it returns',
    options: [
      ['--args <json>', 'arguments as a JSON object'],
      ['--args-file <file>', 'arguments from a JSON file; - is standard input'],
      ['--yes', 'do not ask before a change of files; without a terminal nothing is asked anyway'],
    ],
    notes: `Arguments are name=value; values are converted by the tool's input schema: text stays text; numbers,
booleans, lists and objects are parsed as JSON. A list argument may be repeated.
name=@FILE takes the value from a file (name=@@x is the text "@x"), name=- from standard input.
If an argument is given several ways, name=value takes precedence over --args, and --args over --args-file.`,
    examples: [
      `tutti call code.format_code language=python code='def f( a,b ):return a+b'`,
      'tutti call code.review_code path=src --json',
      'tutti call code.format_code language=go code=@main.go',
      'cat app.py | tutti call code.analyze_complexity language=python code=-',
    ],
    load: () => import('./commands/call.ts'),
  },
  {
    name: 'ask',
    operands: '[message...]',
    summary: 'plan a request in plain words, run it and answer',
    options: [
      ['--session <id>', 'continue this conversation: an id, a prefix of it, or last'],
      ['--yes', 'accept the plan; steps that need approval still ask'],
      ['--plan-only', 'print the plan and run nothing'],
      ['--attach <file>', 'attach a file; - is standard input; repeatable', 'many'],
    ],
    notes: `tutti "message" is the same. Without a message, or with -, it is read from standard input. @path in the message attaches
a file or names a folder. The answer is streamed to standard output, progress to standard error. At a terminal
you are asked about plans, questions and approvals.
Exit codes: 0 answered, 1 the run failed, 3 refused, 4 a plan, a question or an approval is waiting for you, 130 cancelled.
Ctrl-C cancels the run. The conversation is stored: continue it with --session last.`,
    examples: [
      'tutti ask "write a Fibonacci function in Python, and tests for it"',
      'tutti "review @src/app.py"',
      'tutti ask "now make it faster" --session last',
      `echo 'format @main.go' | tutti ask --json`,
      'git diff | tutti ask "review this change" --attach -',
    ],
    load: () => import('./commands/ask.ts'),
  },
  {
    name: 'chat',
    operands: '',
    summary: 'start a conversation',
    options: [['--session <id>', 'continue this conversation: an id, a prefix of it, or last']],
    notes: `tutti alone is the same. Lines are messages; a message continues after a line that ends in \\ and between \`\`\`. In a pipe
nothing is asked, and the exit code is that of the last message.`,
    examples: [
      'tutti chat',
      'tutti chat --session last',
      "printf '%s\\n' 'list the tools' | tutti chat",
    ],
    load: () => import('./commands/chat/index.ts'),
  },
  {
    name: 'models',
    operands: '[action] [name]',
    summary: 'list the language models in order of preference, and how to connect one',
    notes: `list           the models, which is what it does without an action
use NAME       use a model server that was found on this machine, by its name or address
refuse NAME    do not use it, and do not offer it any more`,
    examples: ['tutti models', 'tutti models use ollama', 'tutti models --json'],
    load: () => import('./commands/models.ts'),
  },
  {
    name: 'tools',
    operands: '[query]',
    summary: 'list the tools, search them, or show one',
    options: [['-k, --limit <count>', 'show at most this many']],
    notes: `The name of a server lists its tools; the name of a tool shows its arguments and result, with an example; anything else is
a search by meaning.`,
    examples: [
      'tutti tools',
      'tutti tools code',
      'tutti tools "find leaked passwords" -k 3',
      'tutti tools code.format_code --json',
    ],
    load: () => import('./commands/tools/index.ts'),
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
    options: [onlyServers, ...faces],
    notes: `Log lines go to the log file; standard output carries nothing but the protocol. Without --compact and --all
the number of tools decides.`,
    examples: ['tutti mcp', 'tutti mcp --only standards', 'tutti mcp --compact'],
    load: () => import('./commands/mcp.ts'),
  },
  {
    name: 'serve',
    operands: '',
    summary: 'serve MCP over HTTP until it is stopped',
    options: [
      ['--host <address>', 'address to listen on (setting server.host)'],
      ['--port <number>', 'port to listen on, 0 for a free one (setting server.port)'],
      onlyServers,
      ...faces,
    ],
    notes: `The first line on standard output is "listening on URL". Ctrl-C or SIGTERM lets running calls finish
for a short while and ends with exit code 0. Clients see every tool unless --compact or the setting server.compact is set.`,
    examples: [
      'tutti serve',
      'tutti serve --port 0 --compact',
      'TUTTI_SERVER_AUTH_TOKEN=… tutti serve --host 0.0.0.0',
    ],
    load: () => import('./commands/serve.ts'),
  },
  {
    name: 'servers',
    operands: '[action] [name] [words...]',
    summary: 'list the MCP servers and their state; add, change or restart one',
    options: [
      ['--no-start', 'list: show the current state without starting any'],
      [
        '--project',
        'add, remove, enable, disable: in tutti.yaml of the project, not in your own file',
      ],
      ['--url <address>', 'add: URL of a remote server'],
      ['--type <transport>', 'add: stdio, http or sse'],
      ['--header <name=value>', 'add: header of every request; repeatable', 'many'],
      ['--env <name=value>', 'add: environment variable of the program; repeatable', 'many'],
      ['--cwd <folder>', 'add: working directory of the program'],
      ['--prefix <name>', 'add: prefix for its tool names, instead of its own name'],
      ['--timeout-ms <number>', 'add: end a call after this time without progress'],
      [
        '--trust-annotations',
        'add: believe it when it says that a tool only reads or may be repeated',
      ],
      ['-n, --limit <count>', 'logs: show at most this many lines (100)'],
    ],
    notes: `Actions:
  list                        every server with its state (explained in docs/servers.md)
  add NAME -- COMMAND ARGS…   add a program, or with --url an address, to the user's own file
  remove NAME                 take it out of the file
  enable NAME, disable NAME   keep the entry, and use it or not
  accept NAME                 believe its tools as they are now, after they changed
  logs NAME                   its standard error
  restart NAME                restart it in every instance on this data directory
Keep secrets out of the file: --env 'TOKEN=\${env:TOKEN}' takes it from the environment.`,
    examples: [
      'tutti servers',
      'tutti servers add files -- npx -y @modelcontextprotocol/server-filesystem ~/notes',
      `tutti servers add docs --url https://example.org/mcp --header 'Authorization=Bearer \${env:DOCS_TOKEN}'`,
      'tutti servers disable files',
      'tutti servers logs files -n 20',
    ],
    load: () => import('./commands/servers/index.ts'),
  },
  {
    name: 'plan',
    operands: '<action> <plan>',
    summary: 'check a plan against the available tools, or draw it',
    options: [
      ['--format <format>', 'of the drawing: text (default), mermaid or svg'],
      ['--optimize', 'drop unused steps and merge identical read-only calls first'],
    ],
    notes: `Actions: check, show. PLAN is a file in YAML or JSON; - is standard input. Nothing is run.
Each problem is printed as FILE:LINE: STEP: message. Exit code 2 when the plan cannot run; warnings do not count.`,
    examples: [
      'tutti plan check release.plan.yaml',
      'tutti plan check release.plan.yaml --json',
      'tutti plan show release.plan.yaml',
      'tutti plan show release.plan.yaml --format svg > release.svg',
    ],
    load: () => import('./commands/plan/index.ts'),
  },
  {
    name: 'run',
    operands: '<plan>',
    summary: 'run a plan durably and print its output',
    options: [
      ['--input <name=value>', 'a value for an input of the plan; repeatable', 'many'],
      ['--inputs-file <file>', 'inputs from a JSON file; - is standard input'],
      ['--engine <name>', 'embedded or restate (setting workflow.engine)'],
      ['--optimize', 'drop unused steps and merge identical read-only calls first'],
      ['--detach', 'store the run, print its id and let another process execute it'],
    ],
    notes: `PLAN is a file in YAML or JSON; - is standard input. The plan is checked first: if it has errors nothing runs,
and the exit code is 2. At a terminal a tree shows the progress, and you are asked for approvals; without one the run waits
for "tutti runs approve", and the exit code is 4. The run survives crashes: "tutti runs resume" continues it.
Ctrl-C cancels the run; a second Ctrl-C quits and leaves the run to be resumed.`,
    examples: [
      'tutti run review.plan.yaml --input path=src',
      'tutti run review.plan.yaml --inputs-file inputs.json --json',
      'tutti run nightly.plan.yaml --detach',
    ],
    load: () => import('./commands/run.ts'),
  },
  {
    name: 'runs',
    operands: '[action] [run] [words...]',
    summary: 'list runs; show, watch, stop, resume or approve one',
    options: [
      ['-k, --limit <count>', 'list: show at most this many (20)'],
      ['--status <names>', 'list: only these, separated by commas: queued, running, waiting, …'],
      ['--detach', 'only record the answer; whichever process has the run continues it'],
      ['--reason <text>', 'approve, deny, cancel: the reason, for the record'],
      [
        '--seen <code>',
        'approve: says that all of a long call was shown; "show RUN STEP" prints it',
      ],
      ['--from <step>', 'retry, fork: run this step and all that depend on it again'],
      ['--input <name=value>', 'fork: another value for an input; repeatable', 'many'],
      ['--inputs-file <file>', 'fork: other inputs from a JSON file'],
      ['--args <json>', 'repair: arguments; fork: STEP={"name": "value"}, repeatable', 'many'],
      ['--give-up', 'repair: let the step fail'],
      ['--happened', 'resolve: the call took effect'],
      ['--not-happened', 'resolve: the call did not take effect; the step runs again'],
      ['--output <json>', 'resolve: the output of the step'],
    ],
    notes: `Actions:
  list                        the latest runs
  show RUN [STEP]             a run with its steps, or the whole output of one step
  watch RUN                   follow a run that another process executes
  cancel RUN, pause RUN       stop it for good, or until "resume"
  resume RUN                  continue a run that is paused or whose process died
  retry RUN                   retry failed steps; successful steps keep their result
  fork RUN                    a new run with other inputs or arguments; unaffected results are kept
  approve [RUN] [STEP]        approve a step; "deny" refuses; RUN may be left out where only one waits
  signal RUN NAME [PAYLOAD]   send a signal to a step with "wait"; PAYLOAD is JSON, @FILE or -
  resolve RUN STEP            say whether an effect happened whose response was lost
  repair RUN STEP             other arguments for a step with "onFailure: repair"
RUN is an id, a prefix of it, or "last". After an answer the run continues here until it ends or waits again.`,
    examples: [
      'tutti runs',
      'tutti runs show 01jd --json',
      'tutti runs approve 01jd deploy --reason "looked at it"',
      'tutti runs retry 01jd --from tests',
      'tutti runs fork 01jd --input language=go',
      'tutti runs resolve 01jd send --happened',
    ],
    load: () => import('./commands/runs/index.ts'),
  },
  {
    name: 'sessions',
    operands: '[action] [session] [words...]',
    summary: 'list conversations; show, copy, export or remove one',
    options: [
      ['-k, --limit <count>', 'list: show at most this many (20)'],
      ['--turn <number>', 'fork: copy the turns up to this one; 0 copies none'],
      ['--force', 'export: replace the file'],
    ],
    notes: `Actions:
  list                        the latest conversations
  show SESSION                the whole conversation
  fork SESSION                an independent copy
  export SESSION [FILE]       the conversation as JSON, to a file or standard output
  import FILE                 one that was exported, or a file of the folder conversation.session_dir; - is standard input
  rename SESSION TITLE…       change its title
  remove SESSION              delete it, with its file
SESSION is an id, a prefix of it, or last. "tutti chat --session SESSION" continues one.`,
    examples: [
      'tutti sessions',
      'tutti sessions show last',
      'tutti sessions fork last --turn 6',
      'tutti sessions export last talk.json',
      'tutti sessions import talk.json --json',
    ],
    load: () => import('./commands/sessions/index.ts'),
  },
  {
    name: 'worker',
    operands: '',
    summary: 'execute runs, including unfinished ones, until it is stopped',
    options: [['--engine <name>', 'embedded or restate (setting workflow.engine)']],
    notes: 'Several workers can share a data directory: each run is executed by one of them.',
    examples: ['tutti worker', 'tutti worker --engine restate'],
    load: () => import('./commands/worker.ts'),
  },
  {
    name: 'trust',
    operands: '',
    summary: 'review the servers of this project and allow them to start',
    options: [
      ['--yes', 'allow it without asking'],
      ['--list', 'list the projects that are trusted'],
      ['--revoke', 'revoke trust in this project'],
    ],
    notes: `The servers in a project's tutti.yaml start only after this. You are asked again if they change.
Without a terminal and without --yes it ends with exit code 4.`,
    examples: ['tutti trust', 'tutti trust --yes', 'tutti trust --list', 'tutti trust --revoke'],
    load: () => import('./commands/trust.ts'),
  },
  ...clientCommands,
  {
    name: 'init',
    operands: '',
    summary:
      'first-time setup: write a settings file, import servers, connect a model, show how to connect clients',
    options: [
      ['--yes', 'import the servers of other clients without asking'],
      ['--model-url <address>', 'connect a model: address of an OpenAI-compatible server'],
      ['--model <name>', 'with --model-url: which of its models'],
    ],
    notes: `Changes no existing file, except for adding servers and a model to your own settings file.
Models on this machine are detected, and used once you accept them; put API keys into variables: see "tutti models".`,
    examples: ['tutti init', 'tutti init --yes', 'tutti init --model-url http://127.0.0.1:8080/v1'],
    load: () => import('./commands/init.ts'),
  },
  {
    name: 'config',
    operands: '[prefix]',
    summary: 'show the effective settings and their sources; secrets are hidden',
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
    summary: 'check the installation',
    options: [['--verbose', 'show every protection that was tried, and how to get what is absent']],
    notes: 'Ends with exit code 1 when a check failed; warnings and what is absent do not count.',
    examples: ['tutti doctor', 'tutti doctor --verbose', 'tutti doctor --json'],
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
    name: 'baseline',
    operands: '[path]',
    summary: 'accept all current findings, so that reviews and scans list only new ones',
    notes:
      'Writes .tutti/baseline.json here; from then on code.review_code and code.scan_security list only what is new.',
    examples: ['tutti baseline', 'tutti baseline src'],
    load: () => import('./commands/baseline.ts'),
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
