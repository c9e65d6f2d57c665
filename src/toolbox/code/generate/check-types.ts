import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { runChild } from '../engines/run-child.ts';

type TypeCheckResult =
  | { readonly kind: 'checked'; readonly errors: readonly string[] }
  | { readonly kind: 'unavailable'; readonly why: string };

const limits = { timeLimitMs: 60_000, maxOutputBytes: 1_000_000 };
const file = 'solution.ts';
const maxErrors = 10;

/** Names and modules of others, which are looked for when the code is loaded. */
const unknownNames = /error TS(?:2304|2307|2503|2552|2580|2583|2584|2591|2792|7016):/;

/**
 * Checks the types of one TypeScript module with the compiler of the first of `folders` that has one. The text is only
 * read, in a folder of its own; nothing of it runs.
 */
export async function checkTypes(
  text: string,
  folders: readonly string[],
  signal: AbortSignal,
): Promise<TypeCheckResult> {
  const compiler = findCompiler(folders);
  if (compiler === undefined) {
    return {
      kind: 'unavailable',
      why: 'typescript is not installed in the project (npm install --save-dev typescript)',
    };
  }
  const folder = await mkdtemp(join(tmpdir(), 'tutti-types-'));
  try {
    await writeFile(join(folder, file), text);
    const settings = { compilerOptions: optionsWith(compiler.nodeTypes), files: [file] };
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(settings));
    const args = [compiler.path, '--pretty', 'false', '-p', join(folder, 'tsconfig.json')];
    const end = await runChild({ program: process.execPath, args, stdin: '', limits, signal });
    if (end.kind !== 'exited') {
      return { kind: 'unavailable', why: end.kind === 'stopped' ? end.reason : 'it did not start' };
    }
    return readOutput(end.stdout, end.exitCode);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Compiler {
  readonly path: string;
  /** The folder `@types` that has Node's own. */
  readonly nodeTypes: string | undefined;
}

function findCompiler(folders: readonly string[]): Compiler | undefined {
  for (const folder of folders) {
    const require = createRequire(join(folder, 'package.json'));
    const manifest = resolveWith(require, 'typescript/package.json');
    if (manifest === undefined) continue;
    const node = resolveWith(require, '@types/node/package.json');
    return {
      path: join(dirname(manifest), 'bin', 'tsc'),
      nodeTypes: node === undefined ? undefined : dirname(dirname(node)),
    };
  }
  return undefined;
}

function resolveWith(require: NodeJS.Require, name: string): string | undefined {
  try {
    return require.resolve(name);
  } catch {
    return undefined;
  }
}

function optionsWith(nodeTypes: string | undefined): object {
  return {
    strict: true,
    noEmit: true,
    target: 'es2024',
    module: 'nodenext',
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    types: nodeTypes === undefined ? [] : ['node'],
    ...(nodeTypes !== undefined && { typeRoots: [nodeTypes] }),
  };
}

function readOutput(stdout: string, exitCode: number): TypeCheckResult {
  const told = stdout.split('\n').filter((line) => line.includes('error TS'));
  const inFile = told.filter((line) => line.includes(file));
  if (exitCode !== 0 && inFile.length === 0) {
    return { kind: 'unavailable', why: told[0] ?? 'the compiler failed' };
  }
  const errors = inFile
    .filter((line) => !unknownNames.test(line))
    .slice(0, maxErrors)
    .map((line) => line.slice(line.indexOf(file)));
  return { kind: 'checked', errors };
}
