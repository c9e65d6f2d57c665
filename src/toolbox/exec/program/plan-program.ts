import { posix } from 'node:path';
import type { SandboxProgram } from '../../../contract/sandbox/index.ts';
import { type Language, languageTraits, type ProgramFiles } from './program-files.ts';

export interface ProgramRequest extends ProgramFiles {
  readonly language: Language;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** What the sandbox is to start. */
export interface ProgramPlan {
  readonly toolchain: string;
  readonly program: SandboxProgram;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * How a program of a language is started. `programOf` tells the interpreter of a toolchain, which is
 * needed only where one that was started in advance will not do.
 */
export async function planProgram(
  request: ProgramRequest,
  programOf: (toolchain: string) => Promise<string>,
): Promise<ProgramPlan> {
  const { toolchain } = languageTraits[request.language];
  const { entry, args, env } = request;
  const command = (...argv: string[]): SandboxProgram => ({ kind: 'command', argv });
  switch (request.language) {
    case 'python':
      return { toolchain, env, program: { kind: 'python', main: entry, args } };
    case 'javascript':
    case 'typescript':
      return planNode(request, toolchain, programOf);
    case 'go':
      return { toolchain, env: { ...goEnv, ...env }, program: command(...goArgv(request)) };
    case 'rust':
      return { toolchain, env: { ...rustEnv, ...env }, program: command(...rustArgv(request)) };
    case 'java':
      return { toolchain, env, program: command(...javaArgv(request)) };
    case 'shell':
      return { toolchain, env, program: command(await programOf(toolchain), entry, ...args) };
  }
}

/** TypeScript that is more than types on top of JavaScript: Node must be told to translate it. */
const transformedSyntax =
  /^[ \t]*(?:export[ \t]+)?(?:declare[ \t]+)?(?:const[ \t]+)?(?:enum|namespace|module)[ \t]+[A-Za-z_$]|constructor[ \t]*\([^)]{0,500}\b(?:public|private|protected|readonly)[ \t]|^[ \t]*import[ \t]+\w{1,100}[ \t]*=/m;

async function planNode(
  { language, files, entry, args, env }: ProgramRequest,
  toolchain: string,
  programOf: (toolchain: string) => Promise<string>,
): Promise<ProgramPlan> {
  const isTransformed =
    language === 'typescript' &&
    Object.entries(files).some(
      ([path, text]) => /\.[cm]?ts$/.test(path) && transformedSyntax.test(text),
    );
  if (!isTransformed) return { toolchain, env, program: { kind: 'node', main: entry, args } };
  const options = ['--experimental-transform-types', '--disable-warning=ExperimentalWarning'];
  const argv = [await programOf(toolchain), ...options, entry, ...args];
  return { toolchain, env, program: { kind: 'command', argv } };
}

/** No repository to look at, no compiler of C needed. */
const goEnv = { GOFLAGS: '-buildvcs=false', CGO_ENABLED: '0' };

/** Built and then run: `go run` would hide the program's exit code behind its own. */
function goArgv({ files, entry, args }: ProgramRequest): string[] {
  const folder = posix.dirname(entry);
  const sources = Object.hasOwn(files, 'go.mod')
    ? [`./${folder}`]
    : Object.keys(files).filter(
        (path) => posix.dirname(path) === folder && /(?<!_test)\.go$/.test(path),
      );
  return buildThenRun(`go build -o /tmp/program ${quoted(sources)}`, 'exec /tmp/program', args);
}

const rustEnv = { CARGO_TARGET_DIR: '/tmp/target' };

function rustArgv({ files, entry, args }: ProgramRequest): string[] {
  if (Object.hasOwn(files, 'Cargo.toml')) {
    return ['cargo', 'run', '--offline', '--quiet', '--', ...args];
  }
  const build = `rustc --edition 2021 -o /tmp/program ${quoted([entry])}`;
  return buildThenRun(build, 'exec /tmp/program', args);
}

function javaArgv({ files, entry, args }: ProgramRequest): string[] {
  const sources = Object.keys(files).filter((path) => path.endsWith('.java'));
  if (sources.length === 1) return ['java', entry, ...args];
  const run = `exec java -cp /tmp/classes:. ${quoted([classOf(files, entry)])}`;
  return buildThenRun(`javac -d /tmp/classes ${quoted(sources)}`, run, args);
}

/** `com.example.Main`: the package that the file names, and the file's own name. */
function classOf(files: Readonly<Record<string, string>>, entry: string): string {
  const declared = /^[ \t]{0,20}package[ \t]{1,20}([\w.$]{1,300})[ \t]{0,20};/m.exec(
    files[entry] ?? '',
  );
  const own = posix.basename(entry, '.java');
  return declared?.[1] === undefined ? own : `${declared[1]}.${own}`;
}

/** A build that fails ends it, with its exit code; else the shell execs the program. */
function buildThenRun(build: string, run: string, args: readonly string[]): string[] {
  return ['sh', '-c', `${build} || exit; ${run} "$@"`, 'sh', ...args];
}

/** Words a shell takes as they are; none is taken for an option. */
function quoted(words: readonly string[]): string {
  return words
    .map((word) => (word.startsWith('-') ? `./${word}` : word))
    .map((word) => `'${word.replaceAll("'", `'\\''`)}'`)
    .join(' ');
}
