import data from './commands.json' with { type: 'json' };
import type { RunCommand } from './invocation.ts';

/** A command as the parser and its help show it. */
export interface CommandSpec {
  readonly name: string;
  /** Operands in commander's notation: `<needed> [optional] [many...]`. */
  readonly operands: string;
  /** Works on this machine only: `--server` is refused, `TUTTI_SERVER` does not count. */
  readonly isLocal?: true;
  readonly summary: string;
  readonly options?: readonly CommandOption[];
  /** Lines below the options. */
  readonly notes?: readonly string[];
  readonly examples: readonly string[];
}

/** `many` options may be repeated. */
type CommandOption = readonly [flags: string, description: string, many?: 'many'];

/** In the order of `tutti --help`. `command-table.test.ts` checks their shape: a schema here would slow down every start. */
export const commands = data as unknown as readonly CommandSpec[];

/** Loads the code of a command, when it runs. */
export const loadCommand: Readonly<Record<string, () => Promise<RunCommand>>> = Object.assign(
  Object.create(null),
  {
    call: async () => (await import('./commands/call.ts')).run,
    ask: async () => (await import('./commands/ask.ts')).run,
    chat: async () => (await import('./commands/chat/index.ts')).run,
    models: async () => (await import('./commands/models.ts')).run,
    trained: async () => (await import('./commands/trained.ts')).run,
    tools: async () => (await import('./commands/tools.ts')).run,
    resources: async () => (await import('./commands/resources.ts')).showResources,
    prompts: async () => (await import('./commands/resources.ts')).showPrompts,
    mcp: async () => (await import('./commands/serve.ts')).serveMcp,
    serve: async () => (await import('./commands/serve.ts')).serveHttp,
    servers: async () => (await import('./commands/servers.ts')).run,
    plan: async () => (await import('./commands/plan.ts')).run,
    run: async () => (await import('./commands/run.ts')).run,
    runs: async () => (await import('./commands/runs/index.ts')).run,
    agents: async () => (await import('./commands/agents.ts')).run,
    memory: async () => (await import('./commands/memory.ts')).run,
    sessions: async () => (await import('./commands/sessions.ts')).run,
    contexts: async () => (await import('./commands/contexts.ts')).run,
    feedback: async () => (await import('./commands/feedback.ts')).runFeedback,
    learned: async () => (await import('./commands/feedback.ts')).runLearned,
    preferences: async () => (await import('./commands/preferences.ts')).run,
    instances: async () => (await import('./commands/instances.ts')).run,
    worker: async () => (await import('./commands/serve.ts')).executeRuns,
    keys: async () => (await import('./commands/keys.ts')).run,
    access: async () => (await import('./commands/access.ts')).run,
    trust: async () => (await import('./commands/trust.ts')).run,
    connect: async () => (await import('./commands/connect.ts')).connect,
    disconnect: async () => (await import('./commands/connect.ts')).disconnect,
    import: async () => (await import('./commands/import.ts')).run,
    init: async () => (await import('./commands/init.ts')).run,
    config: async () => (await import('./commands/config.ts')).run,
    doctor: async () => (await import('./commands/doctor.ts')).run,
    why: async () => (await import('./commands/why.ts')).run,
    trace: async () => (await import('./commands/trace.ts')).run,
    alerts: async () => (await import('./commands/alerts.ts')).run,
    logs: async () => (await import('./commands/logs.ts')).run,
    usage: async () => (await import('./commands/usage.ts')).run,
    audit: async () => (await import('./commands/audit.ts')).run,
    baseline: async () => (await import('./commands/backup.ts')).acceptBaseline,
    backup: async () => (await import('./commands/backup.ts')).backUp,
    store: async () => (await import('./commands/store.ts')).run,
  } satisfies Record<string, () => Promise<RunCommand>>,
);
