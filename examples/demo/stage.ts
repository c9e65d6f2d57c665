import { spawn, type ChildProcess } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import colors from 'picocolors';
import type { z } from 'zod';

const checkout = join(import.meta.dirname, '../..');
const program = join(checkout, 'bin/tutti.js');
/** No command of the demo takes longer; one that does is broken. */
const commandTimeoutMs = 90_000;
const maxColumns = 140;
/** Printed only on slow machines. */
const waitNotice = /^Waiting for .* …\n/gm;

/** A command of the demo did not do what the demo says it does. */
export class DemoError extends Error {}

export interface Shown {
  /** Exit code that the scene expects. */
  readonly exitCode?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Number of output lines printed from the beginning and from the end; those between become "…". */
  readonly lines?: number;
  readonly tail?: number;
  /** Text the output must contain: a scene that shows something else has failed. */
  readonly contains: string;
  /** Kills the program with SIGKILL as soon as its output matches. */
  readonly killAt?: RegExp;
}

interface RunOptions {
  /** Both streams through one pipe: read from two, lines change places. */
  readonly isMerged?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  readonly killAt?: RegExp | undefined;
}

/**
 * A project and a data directory that exist for the length of the demo, and a `tutti` that knows nothing else: no settings, keys or
 * servers of the user are read, and nothing of the user's is written.
 */
export class Stage {
  readonly home = realpathSync(mkdtempSync(join(tmpdir(), 'tutti-demo-')));
  readonly project = join(this.home, 'shop');
  #running: ChildProcess | undefined;

  constructor() {
    cpSync(join(import.meta.dirname, 'shop'), this.project, { recursive: true });
    mkdirSync(join(this.home, 'tmp'));
  }

  scene(title: string, text: string): void {
    console.log(`\n${colors.bold(colors.yellow(`━━ ${title}`))}\n${text}\n`);
  }

  say(text: string): void {
    console.log(text);
  }

  /** Prints the command as a user would type it, runs it, prints the beginning of its output and returns all of it. */
  async show(args: readonly string[], shown: Shown): Promise<string> {
    const { contains, exitCode = 0, lines = 12, tail = 0, killAt, env = {} } = shown;
    const command = ['tutti', ...args].map(quoteForShell).join(' ');
    const assignments = Object.entries(env).map(([name, value]) => `${name}=${value} `);
    console.log(colors.bold(this.#shorten(`$ ${assignments.join('')}${command}`)));
    const { output, ended } = await this.run(args, { env, killAt, isMerged: true });
    printCut(this.#shorten(output).replaceAll(waitNotice, ''), { lines, tail });
    const wanted = killAt ? 'SIGKILL' : exitCode;
    if (killAt) console.log(colors.red('Killed'));
    console.log();
    if (ended !== wanted) throw new DemoError(describeEnd({ command, output, ended, wanted }));
    if (!output.includes(contains)) {
      throw new DemoError(`the output of "${command}" does not contain "${contains}"`);
    }
    return output;
  }

  /** The content of a file of the project. */
  read(path: string): string {
    return readFileSync(join(this.project, path), 'utf8');
  }

  /** Runs a command without showing it and parses its output. */
  async query<Schema extends z.ZodType>(
    args: readonly string[],
    schema: Schema,
  ): Promise<z.output<Schema>> {
    const { stdout } = await this.run(args);
    try {
      return schema.parse(JSON.parse(stdout));
    } catch {
      throw new DemoError(`"tutti ${args.join(' ')}" printed something unexpected: ${stdout}`);
    }
  }

  /** Ends whatever still runs and removes everything the demo wrote. */
  close(): void {
    this.#running?.kill('SIGKILL');
    rmSync(this.home, { recursive: true, force: true, maxRetries: 5 });
  }

  /** Runs a command to its end; `output` is what it printed on both streams. */
  async run(
    args: readonly string[],
    { env = {}, killAt, isMerged = false }: RunOptions = {},
  ): Promise<{ stdout: string; output: string; ended: number | NodeJS.Signals }> {
    const script = isMerged ? 'exec "$0" "$@" 2>&1' : 'exec "$0" "$@"';
    const child = spawn('/bin/sh', ['-c', script, process.execPath, program, ...args], {
      cwd: this.project,
      env: { ...this.#environment(), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: commandTimeoutMs,
    });
    this.#running = child;
    let stdout = '';
    let output = '';
    const collect = (chunk: Buffer): void => {
      output += chunk.toString();
      if (killAt?.test(output)) child.kill('SIGKILL');
    };
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    const ended = await new Promise<number | NodeJS.Signals>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code, signal) => resolve(signal ?? code ?? 0));
    });
    return { stdout, output, ended };
  }

  /** Nothing of the user's environment but what programs need to start. */
  #environment(): Record<string, string> {
    return {
      PATH: [join(checkout, 'node_modules/.bin'), process.env['PATH'] ?? ''].join(delimiter),
      HOME: this.home,
      TUTTI_HOME: join(this.home, 'data'),
      // The same story on every machine: a model that happens to run here takes no part.
      TUTTI_MODELS_AUTODETECT: 'false',
      TMPDIR: join(this.home, 'tmp'),
      LANG: 'C.UTF-8',
      ...(colors.isColorSupported ? { FORCE_COLOR: '1' } : { NO_COLOR: '1' }),
    };
  }

  #shorten(text: string): string {
    return text.replaceAll(this.home, '~');
  }
}

function quoteForShell(word: string): string {
  return /^[\w@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

function printCut(output: string, { lines, tail }: { lines: number; tail: number }): void {
  const all = output.trimEnd().split('\n');
  const isCut = all.length > lines + tail;
  const print = (line: string): void =>
    console.log(line.length > maxColumns ? `${line.slice(0, maxColumns - 1)}…` : line);
  for (const line of isCut ? all.slice(0, lines) : all) print(line);
  if (isCut) console.log(colors.dim('…'));
  if (isCut && tail > 0) for (const line of all.slice(-tail)) print(line);
}

function describeEnd(end: {
  readonly command: string;
  readonly output: string;
  readonly ended: number | NodeJS.Signals;
  readonly wanted: number | NodeJS.Signals;
}): string {
  const error = /^error: .*$/m.exec(end.output)?.[0] ?? end.output.trim().split('\n').at(-1) ?? '';
  return `"${end.command}" ended with ${end.ended} instead of ${end.wanted}: ${error}`;
}
