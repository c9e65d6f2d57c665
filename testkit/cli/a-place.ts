import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { onTestFinished } from 'vitest';
import { runMain, type Ran } from './run-main.ts';

/** A user with a project, on a disk that is gone after the test. */
interface Place {
  readonly base: string;
  readonly userFile: string;
  readonly projectFile: string;
  /** Runs a command line in the project; with an answer, at a terminal. */
  run(line: string | readonly string[], answer?: string): Promise<Ran>;
  read(path: string): string;
  write(path: string, text: string): void;
  has(path: string): boolean;
}

/** `files` are by path below the user's home directory; `user` and `project` are the settings files. */
export function aPlace(
  parts: { user?: string; project?: string; files?: Readonly<Record<string, string>> } = {},
): Place {
  const base = mkdtempSync(join(tmpdir(), 'tutti-place-'));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const cwd = join(base, 'project');
  mkdirSync(cwd);
  const env = { HOME: base, XDG_CONFIG_HOME: join(base, '.config') };
  const place: Place = {
    base,
    userFile: join(base, '.config/tutti/config.yaml'),
    projectFile: join(cwd, 'tutti.yaml'),
    run: (line, answer) => {
      const argv = typeof line === 'string' ? line.split(' ') : line;
      if (answer === undefined) return runMain(argv, { io: { env, cwd } });
      const stdin = Object.assign(new PassThrough(), { isTTY: true });
      stdin.end(answer);
      return runMain(argv, { isTTY: true, io: { env: { ...env, NO_COLOR: '1' }, cwd, stdin } });
    },
    read: (path) => readFileSync(path, 'utf8'),
    write: (path, text) => {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    },
    has: existsSync,
  };
  const { user, project, files = {} } = parts;
  if (user !== undefined) place.write(place.userFile, user);
  if (project !== undefined) place.write(place.projectFile, project);
  for (const [path, text] of Object.entries(files)) place.write(join(base, path), text);
  return place;
}
