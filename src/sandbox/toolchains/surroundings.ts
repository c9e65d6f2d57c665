import { execFile } from 'node:child_process';
import { homedir } from 'node:os';
import { delimiter } from 'node:path';
import { promisify } from 'node:util';

/** The machine that toolchains are looked for on. */
export interface Surroundings {
  readonly platform: NodeJS.Platform;
  /** The home folder whose version managers are looked into. */
  readonly home: string;
  /** Folders of `PATH`, in order. */
  readonly searchPath: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Put before `/usr`, `/opt` …: empty, except where a test has written a tree of its own. */
  readonly systemRoot: string;
  /** Programs run as another user, because we are root. */
  readonly runsAsOther: boolean;
  /** Folders can be shown inside at another place than outside. */
  readonly canRelocate: boolean;
  /** The Node to use; that of Tutti unless told. */
  readonly node: string;
  /** Python modules that ought to be there: an interpreter that has them is preferred. */
  readonly modules: readonly string[];
  /** Runs a program of a toolchain and gives its standard output. Throws when it fails or takes too long. */
  readonly ask: Ask;
}

export type Ask = (program: string, args: readonly string[]) => Promise<string>;

/** This machine, as `changes` say otherwise. Answers of programs are kept as long as the result is. */
export function hostSurroundings(changes: Partial<Surroundings> = {}): Surroundings {
  const env = changes.env ?? process.env;
  return {
    platform: process.platform,
    home: homedir(),
    searchPath: (env['PATH'] ?? '').split(delimiter).filter((folder) => folder.startsWith('/')),
    env,
    systemRoot: '',
    runsAsOther: process.getuid?.() === 0,
    canRelocate: process.platform === 'linux',
    node: process.execPath,
    modules: [],
    ask: rememberAnswers(askProgram),
    ...changes,
  };
}

const askTimeoutMs = 10_000;
const maxAnswerBytes = 1024 * 1024;

async function askProgram(program: string, args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(program, args, {
    // Nothing of ours: what it finds in the environment would not be there inside.
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', HOME: '/nonexistent', GOTOOLCHAIN: 'local' },
    cwd: '/',
    timeout: askTimeoutMs,
    killSignal: 'SIGKILL',
    maxBuffer: maxAnswerBytes,
  });
  return stdout;
}

function rememberAnswers(ask: Ask): Ask {
  const answers = new Map<string, Promise<string>>();
  return (program, args) => {
    const question = JSON.stringify([program, ...args]);
    const answer = answers.get(question) ?? ask(program, args);
    answers.set(question, answer);
    // It may be installed in the meantime: failures are not cached.
    answer.catch(() => answers.delete(question));
    return answer;
  };
}
