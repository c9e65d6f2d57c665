import { localCaller } from '../contract/caller/index.ts';
import type { EngineName } from '../contract/run/index.ts';
import type { ServerFiles } from '../contract/server-files/index.ts';
import type { CallContext, ProgressUpdate } from '../contract/server/index.ts';
import { NotRemoteCommandError, UnknownNameError, UsageError } from './errors.ts';
import type { Io } from './io.ts';
import type { Output } from './output.ts';
import type { Face, System, SystemRequest } from '../compose/index.ts';

/** One command as the user typed it, parsed. */
export interface Invocation {
  /** What is not an option, in order. */
  readonly operands: readonly string[];
  /** How many of the operands came after `--`; undefined without one. */
  readonly afterDashes: number | undefined;
  readonly options: Readonly<Record<string, unknown>>;
  readonly io: Io;
  readonly output: Output;
  /** The command works on this machine only. */
  readonly isLocal?: boolean;
  /** Settings from global flags, by dotted key. */
  readonly flags: Readonly<Record<string, unknown>>;
}

/** What the module of a command exports: does the work and says the exit code. */
export type RunCommand = (invocation: Invocation) => Promise<number>;

/** Opens the system, hands it to `work` and closes it whatever happens. */
export async function withSystem<Result>(
  invocation: Invocation,
  options: Partial<SystemRequest>,
  work: (system: System) => Promise<Result>,
): Promise<Result> {
  const { io, output, flags } = invocation;
  const { openSystem, openRemoteSystem } = await io.compose();
  const server = serverOf(invocation);
  const wanted: SystemRequest = {
    ...options,
    ...(invocation.options['debug'] === true && { log: 'stderr' }),
    stderr: io.stderr,
    flags: { ...flags, ...options.flags },
    env: io.env,
    cwd: options.cwd ?? io.cwd,
  };
  const opening =
    server === undefined ? openSystem(wanted) : openRemoteSystem({ ...wanted, server });
  const system = await output.during('Opening the data directory', opening);
  try {
    for (const warning of system.settings.warnings) output.note(`warning: ${warning}`);
    return await work(system);
  } finally {
    await system.close();
  }
}

/** `--server`, or `TUTTI_SERVER` for commands that need not run on the machine itself. */
export function serverOf({ options, io, isLocal = false }: Invocation): string | undefined {
  const named = options['server'];
  const given = typeof named === 'string' ? named : isLocal ? undefined : io.env['TUTTI_SERVER'];
  if (given === undefined || given === '') return undefined;
  if (isLocal) throw new NotRemoteCommandError();
  if (!URL.canParse(given)) throw new UsageError(`--server wants an address, and got "${given}"`);
  return given;
}

/** The files that name servers, for commands that start none. */
export async function openFiles(invocation: Invocation): Promise<ServerFiles> {
  const { io, flags, options } = invocation;
  if (options['server'] !== undefined) throw new NotRemoteCommandError();
  const { openServerFiles } = await io.compose();
  return openServerFiles({ flags, env: io.env, cwd: io.cwd });
}

/** An option that takes a value; undefined when it was not given. */
export function textOption(invocation: Invocation, name: string): string | undefined {
  const value = invocation.options[name];
  return typeof value === 'string' ? value : undefined;
}

/** `--only A,B`: the servers to serve, for `openSystem`; nothing when it was not given. */
export function onlyOption(invocation: Invocation): { readonly only?: readonly string[] } {
  const names = textOption(invocation, 'only')?.split(',') ?? [];
  const only = names.map((name) => name.trim()).filter((name) => name !== '');
  return only.length > 0 ? { only } : {};
}

/** The context of a call made by the person at this terminal. */
export function createCallContext(
  io: Io,
  progress: (update: ProgressUpdate) => void = () => {},
): CallContext {
  return { caller: localCaller, face: 'cli', signal: io.signal, progress, meta: {} };
}

const engines: readonly EngineName[] = ['embedded', 'restate'];

/** The value of `--engine`; undefined when the setting decides. */
export function engineOption(invocation: Invocation): EngineName | undefined {
  const name = textOption(invocation, 'engine');
  if (name === undefined) return undefined;
  const engine = engines.find((known) => known === name);
  if (engine === undefined) throw new UnknownNameError('engine', name, engines);
  return engine;
}

/** `--compact` or `--all`: how many of the tools clients see; `auto` when neither was given. */
export function faceOption({ options }: Invocation): Face {
  if (options['compact'] === true && options['all'] === true) {
    throw new UsageError('--compact and --all exclude each other');
  }
  if (options['compact'] === true) return 'compact';
  return options['all'] === true ? 'all' : 'auto';
}

const maxLimit = 10_000;

/** The value of `--limit`, a whole number above zero. */
export function limitOption(invocation: Invocation, otherwise: number = maxLimit): number {
  const text = textOption(invocation, 'limit');
  if (text === undefined) return otherwise;
  const limit = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > maxLimit) {
    throw new UsageError(`--limit wants a number from 1 to ${maxLimit}, and got "${text}"`);
  }
  return limit;
}

/** The settings that global flags give, by dotted key. */
export function flagsOf(options: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const flags: Record<string, unknown> = {};
  for (const assignment of textsOf(options['set'])) {
    const at = assignment.indexOf('=');
    if (at < 1) throw new UsageError(`--set wants key=value, and got "${assignment}"`);
    flags[assignment.slice(0, at)] = assignment.slice(at + 1);
  }
  const roots = textsOf(options['root']);
  if (options['debug'] === true) flags['logging.level'] = 'debug';
  if (options['home'] !== undefined) flags['home'] = options['home'];
  if (roots.length > 0) flags['roots'] = roots;
  if (options['logLevel'] !== undefined) flags['logging.level'] = options['logLevel'];
  return flags;
}

/** The values of an option that may be given several times. */
export function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
