import { chmod, readdir, readFile, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { CallContext } from '../../../contract/server/index.ts';
import { digestJson } from '../../../kernel/index.ts';
import { PythonEnvironmentError } from '../errors.ts';
import { isAbandoned, withJobFolder } from '../jobs/job-folder.ts';
import type { MlParts, PackagePolicy } from '../ml-ports.ts';
import { type Interpreter, interpreterSchema, isThere } from './find-interpreters.ts';
import { adviceFor, aptFor } from './package-names.ts';
import {
  type Environment,
  environmentSchema,
  readJson,
  testEnvironment,
} from './test-environment.ts';

const buildMs = 30 * 60_000;
const minuteMs = 60_000;
const maxShownOutput = 800;
const maxWheels = 5_000;
/** An index that does not answer is given up after these, not after pip's minutes. */
const indexRetries = 2;
const indexTimeoutSeconds = 20;

/** All that decides what a build installs, known before it starts. */
export interface EnvironmentBuild {
  readonly base: Interpreter;
  /** The program of uv; undefined where venv and pip of the base are used. */
  readonly uv: string | undefined;
  readonly wanted: readonly string[];
  /** As it is shown: without a password. */
  readonly source: string;
  /** Holds the lock, the environment as `venv`, and `tested.json` when it is whole. */
  readonly folder: string;
}

type Parts = Pick<
  MlParts,
  'home' | 'packagePolicy' | 'runProgram' | 'sandbox' | 'surroundings' | 'log'
>;

/** Throws `ml.bad_environment` where nothing could be built, before anything is run. */
export async function planBuild(
  { home, packagePolicy, surroundings }: Parts,
  { interpreters, wanted }: { interpreters: readonly Interpreter[]; wanted: readonly string[] },
): Promise<EnvironmentBuild> {
  const { network, wheelDirectory, indexUrl, sourceBuilds } = packagePolicy;
  if (!network && wheelDirectory === undefined) {
    throw new PythonEnvironmentError(
      `no Python here has ${wanted.join(', ')}, and the settings allow no network for packages (tools.training.network)`,
      `Name a folder of wheels in tools.training.wheel_dir. ${adviceFor(wanted)}`,
    );
  }
  const uv = await findProgram('uv', surroundings.searchPath);
  const base = interpreters.find(({ has_venv: hasVenv }) => hasVenv) ?? interpreters[0];
  if (!base) {
    throw new PythonEnvironmentError(
      'no Python 3 was found on this machine',
      `Install one: ${aptFor(['python3-venv'])}`,
    );
  }
  if (!uv && !base.has_venv) {
    throw new PythonEnvironmentError(
      `no Python here has ${wanted.join(', ')}, and ${base.path} can build no environment: it has no venv with pip`,
      `${adviceFor(wanted)} Or install it: ${aptFor(['python3-venv'])}`,
    );
  }
  const source = wheelDirectory ?? withoutPassword(indexUrl);
  const wheels = wheelDirectory === undefined ? [] : await listWheels(wheelDirectory);
  const identity = [base.path, base.version, wanted.toSorted(), source, sourceBuilds, wheels];
  const folder = join(home, 'ml', 'environments', digestJson(identity).slice(7, 47));
  return { base, uv, wanted, source, folder };
}

function withoutPassword(address: string): string {
  const url = URL.parse(address);
  if (!url) return 'the configured index';
  url.username = '';
  url.password = '';
  url.search = '';
  return url.href;
}

/** Another wheel of the same name makes another environment. */
async function listWheels(folder: string): Promise<readonly unknown[]> {
  const names = await readdir(folder).catch(() => {
    throw new PythonEnvironmentError(
      `the folder of wheels ${folder} cannot be read`,
      'Correct tools.training.wheel_dir.',
    );
  });
  const wheels = names.filter((name) => /\.(?:whl|tar\.gz|zip)$/.test(name)).toSorted();
  return Promise.all(
    wheels.slice(0, maxWheels).map(async (name) => {
      const { size, mtimeMs } = await stat(join(folder, name));
      return [name, size, mtimeMs];
    }),
  );
}

async function findProgram(name: string, searchPath: string): Promise<string | undefined> {
  for (const folder of searchPath.split(':').filter((part) => part.startsWith('/'))) {
    if (await isThere(join(folder, name))) return join(folder, name);
  }
  return undefined;
}

/** An environment that was built from the same and tested; undefined where there is none. */
export async function findBuilt(folder: string): Promise<Environment | undefined> {
  return (await readRecord(folder))?.environment;
}

/**
 * Builds below a lock, so that of two calls one builds and the other gets the result. What a cancel, a failure or a crash
 * left is removed: a folder without `tested.json` is never used.
 */
export async function buildEnvironment(
  parts: Parts,
  build: EnvironmentBuild,
  context: Pick<CallContext, 'signal' | 'progress'>,
): Promise<Environment> {
  const { folder, wanted } = build;
  const { signal } = context;
  const progress = reportProgress(context);
  try {
    await removeUnfinished(join(parts.home, 'ml', 'environments'), signal);
    const key = `environment with ${wanted.join(', ')}`;
    return await withJobFolder(folder, { key, signal }, async () => {
      const built = await findBuilt(folder);
      if (built) return built;
      await removeVenv(folder);
      try {
        return await install(parts, build, { signal, tell: progress.tell });
      } finally {
        await removeVenv(folder);
      }
    });
  } finally {
    progress.stop();
    await removeEmpty(folder);
  }
}

interface Watch {
  readonly signal: AbortSignal;
  readonly tell: (line: string) => void;
}

async function install(parts: Parts, build: EnvironmentBuild, watch: Watch): Promise<Environment> {
  const { wanted, base, uv, folder } = build;
  const venv = join(folder, 'venv');
  const python = join(venv, 'bin', 'python');
  const { env, options } = installOptions(parts.packagePolicy, uv !== undefined);
  const create = uv
    ? [uv, 'venv', '--python', base.path, venv]
    : [base.path, '-I', '-m', 'venv', venv];
  const add = uv
    ? [uv, 'pip', 'install', '--python', python, ...options, ...wanted]
    : [python, '-I', '-m', 'pip', 'install', ...options, ...wanted];
  watch.tell(`making ${venv}`);
  await must(parts, { argv: create, env, what: 'it could not be made', wanted }, watch);
  const what = `${wanted.join(', ')} could not be installed from ${build.source}`;
  await must(parts, { argv: add, env, what, wanted }, watch);
  // The user inside of a sandbox is another one.
  await chmod(venv, 0o755);
  watch.tell('testing it in the sandbox');
  const interpreter = { ...base, path: python, prefix: venv };
  const tested = { interpreter, folder: venv, wanted };
  const environment = await testEnvironment(parts, tested, watch.signal);
  const record: EnvironmentRecord = { interpreter, environment };
  await writeFile(join(folder, 'tested.tmp'), JSON.stringify(record));
  await rename(join(folder, 'tested.tmp'), join(folder, 'tested.json'));
  return environment;
}

/** Nothing but the settings decides the source: no file of pip or uv adds another index. Addresses are variables, because they may hold a password. */
function installOptions(policy: PackagePolicy, isUv: boolean) {
  const { wheelDirectory, indexUrl, sourceBuilds } = policy;
  const env: Record<string, string> = {
    PIP_CONFIG_FILE: '/dev/null',
    UV_NO_CONFIG: '1',
    ...(wheelDirectory === undefined && { PIP_INDEX_URL: indexUrl, UV_DEFAULT_INDEX: indexUrl }),
  };
  const onlyWheels = sourceBuilds ? [] : isUv ? ['--no-build'] : ['--only-binary=:all:'];
  const offline =
    wheelDirectory === undefined ? [] : ['--no-index', '--find-links', wheelDirectory];
  const forPip = [
    '--disable-pip-version-check',
    '--no-input',
    '--progress-bar=off',
    `--retries=${indexRetries}`,
    `--timeout=${indexTimeoutSeconds}`,
  ];
  return { env, options: [...onlyWheels, ...offline, ...(isUv ? [] : forPip)] };
}

interface Command {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly what: string;
  readonly wanted: readonly string[];
}

async function must(
  { runProgram, packagePolicy }: Parts,
  { argv, env, what, wanted }: Command,
  { signal, tell }: Watch,
): Promise<void> {
  const onOutput = (text: string): void => {
    const line = text.trim().split('\n').at(-1)?.trim();
    if (line) tell(line);
  };
  const outcome = await runProgram(argv, { timeoutMs: buildMs, signal, env, onOutput });
  if (outcome.exitCode === 0) return;
  const said = `${outcome.stdout}\n${outcome.stderr}`.trim();
  const reason =
    outcome.exitCode === null
      ? `it was ended after at most ${buildMs / minuteMs} minutes`
      : (explain(said, packagePolicy) ?? said.slice(-maxShownOutput));
  throw new PythonEnvironmentError(`${what}: ${reason}`, adviceFor(wanted));
}

const unreachable =
  /name resolution|ConnectionError|NewConnectionError|connection refused|timed out|ProxyError|SSLError|dns error|network is unreachable|error sending request/i;
const missing =
  /(?:No matching distribution found for|not find a version that satisfies the requirement|Because) (\S+)|(\S+) was not found in the/i;
const noRoom = /No space left on device|\[Errno 28\]|Disk quota exceeded/i;

/** What installers say in many lines, in one; undefined where it is something else. */
function explain(said: string, { sourceBuilds }: PackagePolicy): string | undefined {
  if (noRoom.test(said)) return 'the disk is full';
  if (unreachable.test(said)) return 'the package index cannot be reached';
  const found = missing.exec(said);
  const name = found?.[1] ?? found?.[2];
  if (name === undefined) return undefined;
  const hint = sourceBuilds
    ? ''
    : ' as a wheel (packages that must be built run scripts here: tools.training.source_builds)';
  return `there is no ${name} for this Python${hint}`;
}

/** Below the time after which the protocol takes a call for dead. */
const heartbeatMs = 1_500;
const maxLineChars = 160;

function reportProgress({ progress }: Pick<CallContext, 'progress'>) {
  let last = { progress: 0, message: 'environment: starting' };
  const startedAt = performance.now();
  const send = (): void => {
    last = { ...last, progress: Math.max(last.progress, (performance.now() - startedAt) / 1_000) };
    progress(last);
  };
  send();
  const beat = setInterval(send, heartbeatMs);
  return {
    tell: (line: string): void => {
      last = { ...last, message: `environment: ${line.slice(0, maxLineChars)}` };
      send();
    },
    stop: (): void => clearInterval(beat),
  };
}

const recordSchema = z.object({ interpreter: interpreterSchema, environment: environmentSchema });
export type EnvironmentRecord = z.output<typeof recordSchema>;

async function readRecord(folder: string): Promise<EnvironmentRecord | undefined> {
  const text = await readFile(join(folder, 'tested.json'), 'utf8').catch(() => '');
  const record = recordSchema.safeParse(readJson(text)).data;
  // The Python below it may have been removed since.
  return record && (await isThere(record.environment.python)) ? record : undefined;
}

/** Newest first. */
export async function listBuilt(home: string): Promise<readonly EnvironmentRecord[]> {
  const parent = join(home, 'ml', 'environments');
  const names = await readdir(parent).catch((): string[] => []);
  const dated = await Promise.all(
    names.map(async (name) => {
      const found = await stat(join(parent, name, 'tested.json')).catch(() => undefined);
      return { name, builtAt: found?.mtimeMs ?? 0 };
    }),
  );
  const records = await Promise.all(
    dated
      .toSorted((a, b) => b.builtAt - a.builtAt)
      .map(({ name }) => readRecord(join(parent, name))),
  );
  return records.filter((record) => record !== undefined);
}

/** Left by processes that died while they built. */
async function removeUnfinished(parent: string, signal: AbortSignal): Promise<void> {
  for (const name of await readdir(parent).catch((): string[] => [])) {
    const folder = join(parent, name);
    if (await isAbandoned(folder)) {
      await withJobFolder(folder, { key: name, signal }, () => removeVenv(folder));
    }
    // Its owner may have died before it took the lock.
    await removeEmpty(folder);
  }
}

async function removeVenv(folder: string): Promise<void> {
  const isWhole = await isThere(join(folder, 'tested.json'));
  if (!isWhole) await rm(join(folder, 'venv'), { recursive: true, force: true });
}

/** One that another process has begun to use stays. */
const removeEmpty = (folder: string): Promise<void> => rmdir(folder).catch(() => {});
