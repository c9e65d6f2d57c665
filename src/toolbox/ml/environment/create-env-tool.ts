import { access, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { digestJson } from '../../../kernel/index.ts';
import { defineTool, type DefinedTool } from '../../define-tool.ts';
import { PythonEnvironmentError } from '../errors.ts';
import type { MlParts, ProgramOutcome } from '../ml-ports.ts';
import { findInterpreters, interpreterSchema, type Interpreter } from './find-interpreters.ts';
import texts from '../tools.json' with { type: 'json' };

const buildMs = 30 * 60_000;
const smokeMs = 5 * 60_000;
const maxShownOutput = 800;
/** Below this torch works on a reference BLAS, ten times slower than it could be. */
const slowGflops = 8;

const debianPackages = new Map([
  ['torch', 'python3-torch libopenblas0-pthread'],
  ['numpy', 'python3-numpy'],
  ['scikit-learn', 'python3-sklearn'],
  ['xgboost', 'python3-xgboost'],
  ['sentencepiece', 'python3-sentencepiece'],
]);
const moduleNames = new Map([['scikit-learn', 'sklearn']]);

const input = z.strictObject({
  engine: z
    .enum(['embedded', 'python', 'gguf'])
    .default('embedded')
    .describe('The engine it is for.'),
  packages: z
    .array(
      z
        .string()
        .regex(/^[a-z0-9][\w.-]*(?:==[\w.+-]+)?$/i, 'must be name or name==version')
        .max(100),
    )
    .max(50)
    .default([])
    .describe('Packages it must have, as name or name==version.'),
});

const environmentSchema = z.object({
  python: z.string().describe('The interpreter, absolute.'),
  folder: z
    .string()
    .nullable()
    .describe('Where it was built; null where an installed Python has everything.'),
  hash: z.string().describe('Of the interpreter and the packages: the same are built once.'),
  packages: z.record(z.string(), z.string()),
  gflops: z.number().nullable().describe('Measured with a matrix product; null without numpy.'),
  warnings: z.array(z.string()),
});

const output = z.object({
  engine: z.string().describe('The engine it is for.'),
  environment: environmentSchema.nullable().describe('Null where the engine needs no Python.'),
  interpreters: z.array(interpreterSchema).describe('Those found on this machine.'),
});

type Environment = z.output<typeof environmentSchema>;

/** The tool `create_env`. */
export function createEnvTool(parts: MlParts): DefinedTool {
  return defineTool({
    ...texts.create_env,
    input,
    output,
    run: async ({ engine, packages }, { signal }) => {
      if (engine !== 'python' && packages.length === 0)
        return { engine, environment: null, interpreters: [] };
      const wanted = packages.length > 0 ? packages : ['torch'];
      const search = {
        runProgram: parts.runProgram,
        signal,
        searchPath: process.env['PATH'] ?? '',
        home: homedir(),
      };
      const interpreters = await findInterpreters(search, wanted.map(nameOf));
      const complete = interpreters.find((one) => wanted.every((each) => hasPackage(one, each)));
      const environment = complete
        ? await examine(parts, { python: complete.path, folder: null, wanted }, signal)
        : await build(parts, { interpreters, wanted }, signal);
      return { engine, environment, interpreters };
    },
    summarize: ({ engine, environment, interpreters }) => {
      if (!environment)
        return `The engine ${engine} needs no Python: Node and WebAssembly do the work.`;
      const packages = Object.entries(environment.packages).map(
        ([name, version]) => `${name} ${version}`,
      );
      return [
        `${environment.python}: ${packages.join(', ')}${environment.gflops === null ? '' : `; ${environment.gflops.toFixed(1)} GFLOPS`}`,
        ...environment.warnings,
        `found: ${interpreters.map(({ path, version }) => `${path} (${version})`).join(', ')}`,
      ].join('\n');
    },
  });
}

const nameOf = (wanted: string): string => wanted.split('==')[0] ?? wanted;

function hasPackage({ packages }: Interpreter, wanted: string): boolean {
  const [name = '', version] = wanted.split('==');
  return packages[name] !== undefined && (version === undefined || packages[name] === version);
}

interface Building {
  readonly interpreters: readonly Interpreter[];
  readonly wanted: readonly string[];
}

/** Built under another name and renamed when it has passed its test: a folder with a hash is whole. */
async function build(
  parts: MlParts,
  { interpreters, wanted }: Building,
  signal: AbortSignal,
): Promise<Environment> {
  const base = interpreters.find(({ has_venv: hasVenv }) => hasVenv) ?? interpreters[0];
  if (!base) {
    throw new PythonEnvironmentError(
      'no Python 3 was found on this machine',
      `Install one: ${aptFor(['python3-venv'])}`,
    );
  }
  const hash = digestJson([base.path, base.version, wanted.toSorted()]).slice(7, 47);
  const folder = join(parts.home, 'ml', 'environments', hash);
  const python = join(folder, 'bin', 'python');
  if (await isThere(join(folder, 'tested.json'))) return readTested(folder);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  try {
    const { create, install } = await commandsFor({ base, folder, python, wanted });
    await must(parts, { argv: create, what: 'the environment was not made' }, { wanted, signal });
    await must(
      parts,
      { argv: install, what: `${wanted.join(', ')} could not be installed` },
      { wanted, signal },
    );
    const tested = await examine(parts, { python, folder, wanted }, signal);
    await writeFile(join(folder, 'tested.tmp'), JSON.stringify(tested));
    await rename(join(folder, 'tested.tmp'), join(folder, 'tested.json'));
    return tested;
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

interface Commands {
  readonly base: Interpreter;
  readonly folder: string;
  readonly python: string;
  readonly wanted: readonly string[];
}

/** By uv where it is installed, else by venv and pip. */
async function commandsFor({ base, folder, python, wanted }: Commands) {
  const uv = await findProgram('uv');
  if (uv !== undefined) {
    const create = [uv, 'venv', '--python', base.path, folder];
    return { create, install: [uv, 'pip', 'install', '--python', python, ...wanted] };
  }
  if (!base.has_venv) {
    const advice = `${missingAdvice(wanted)} Or install it: ${aptFor(['python3-venv'])}`;
    throw new PythonEnvironmentError(`${base.path} has no venv`, advice);
  }
  const pip = [python, '-m', 'pip', 'install', '--disable-pip-version-check', '--no-input'];
  return { create: [base.path, '-m', 'venv', folder], install: [...pip, ...wanted] };
}

async function must(
  { runProgram }: MlParts,
  { argv, what }: { readonly argv: readonly string[]; readonly what: string },
  { wanted, signal }: { readonly wanted: readonly string[]; readonly signal: AbortSignal },
): Promise<ProgramOutcome> {
  const outcome = await runProgram(argv, { timeoutMs: buildMs, signal });
  if (outcome.exitCode === 0) return outcome;
  const said = (outcome.stderr.trim() || outcome.stdout.trim()).slice(-maxShownOutput);
  throw new PythonEnvironmentError(`${what}: ${said}`, missingAdvice(wanted));
}

/** Where a package index cannot be reached, the packages of the system often do. */
function missingAdvice(wanted: readonly string[]): string {
  const debian = wanted.flatMap((one) => debianPackages.get(nameOf(one)) ?? []);
  return debian.length > 0
    ? `Without a package index: ${aptFor(debian)}`
    : 'Check the names and the package index (pip config list).';
}

const aptFor = (packages: readonly string[]): string =>
  `sudo apt-get install -y ${packages.join(' ')}`;

const smoke = `
import importlib, json, sys, time
found, failed = {}, {}
for name, module in json.loads(sys.argv[1]):
    try:
        found[name] = str(getattr(importlib.import_module(module), "__version__", "installed"))
    except Exception as error:
        failed[name] = "%s: %s" % (type(error).__name__, error)
gflops = None
try:
    try:
        import torch as maths; maths.set_num_threads(1); a = maths.ones(512, 512); product = lambda: a @ a
    except ImportError:
        import numpy as maths; a = maths.ones((512, 512), dtype="float32"); product = lambda: a @ a
    product(); start = time.process_time(); [product() for _ in range(20)]
    gflops = 20 * 2 * 512 ** 3 / max(1e-9, time.process_time() - start) / 1e9
except ImportError:
    pass
print(json.dumps({"packages": found, "failed": failed, "gflops": gflops}))
`;

const smokeSchema = z.object({
  packages: z.record(z.string(), z.string()),
  failed: z.record(z.string(), z.string()),
  gflops: z.number().nullable(),
});

async function examine(
  { runProgram }: MlParts,
  {
    python,
    folder,
    wanted,
  }: {
    readonly python: string;
    readonly folder: string | null;
    readonly wanted: readonly string[];
  },
  signal: AbortSignal,
): Promise<Environment> {
  const modules = wanted
    .map(nameOf)
    .map((name) => [name, moduleNames.get(name) ?? name.replaceAll('-', '_')]);
  const outcome = await runProgram([python, '-I', '-c', smoke, JSON.stringify(modules)], {
    timeoutMs: smokeMs,
    signal,
  });
  const parsed = smokeSchema.safeParse(readJson(outcome.stdout.trim().split('\n').at(-1) ?? ''));
  if (!parsed.success) {
    throw new PythonEnvironmentError(
      `${python} did not pass its test: ${outcome.stderr.slice(-maxShownOutput)}`,
      missingAdvice(wanted),
    );
  }
  const { packages, failed, gflops } = parsed.data;
  const [broken] = Object.entries(failed);
  if (broken)
    throw new PythonEnvironmentError(
      `${broken[0]} cannot be imported (${broken[1]})`,
      missingAdvice(wanted),
    );
  const isSlow = gflops !== null && gflops < slowGflops;
  const warnings = isSlow
    ? [`only ${gflops.toFixed(1)} GFLOPS: a reference BLAS; ${aptFor(['libopenblas0-pthread'])}`]
    : [];
  return {
    python,
    folder,
    hash: digestJson([python, packages]).slice(7, 47),
    packages,
    gflops,
    warnings,
  };
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function readTested(folder: string): Promise<Environment> {
  return environmentSchema.parse(readJson(await readFile(join(folder, 'tested.json'), 'utf8')));
}

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

async function findProgram(name: string): Promise<string | undefined> {
  for (const place of (process.env['PATH'] ?? '')
    .split(':')
    .filter((part) => part.startsWith('/'))) {
    if (await isThere(join(place, name))) return join(place, name);
  }
  return undefined;
}
