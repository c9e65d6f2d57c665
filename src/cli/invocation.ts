import type { ServerFiles } from '../contract/server-files/index.ts';
import type { Io } from './io.ts';
import type { Output } from './output.ts';
import type { System, SystemOptions } from './system.ts';

/** One command as the user typed it, parsed. */
export interface Invocation {
  /** What is not an option, in order. */
  readonly operands: readonly string[];
  /** How many of the operands came after `--`; undefined without one. */
  readonly afterDashes: number | undefined;
  readonly options: Readonly<Record<string, unknown>>;
  readonly io: Io;
  readonly output: Output;
  /** Settings from global flags, by dotted key. */
  readonly flags: Readonly<Record<string, unknown>>;
}

/** What the module of a command exports: does the work and says the exit code. */
export type RunCommand = (invocation: Invocation) => Promise<number>;

/** Opens the system, hands it to `work` and closes it whatever happens. */
export async function withSystem<Result>(
  invocation: Invocation,
  options: Partial<SystemOptions>,
  work: (system: System) => Promise<Result>,
): Promise<Result> {
  const { io, output, flags } = invocation;
  const { openSystem } = await io.compose();
  const opening = openSystem({
    ...options,
    ...(invocation.options['debug'] === true && { log: 'stderr' }),
    stderr: io.stderr,
    flags: { ...flags, ...options.flags },
    env: io.env,
    cwd: io.cwd,
  });
  const system = await output.during('Opening the data directory', opening);
  try {
    for (const warning of system.settings.warnings) output.note(`warning: ${warning}`);
    return await work(system);
  } finally {
    await system.close();
  }
}

/** The files that name servers, for commands that start none. */
export async function openFiles({ io, flags }: Invocation): Promise<ServerFiles> {
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
