import { access, constants, readdir, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { MlParts } from '../ml-ports.ts';
import { isObject } from '../dataset/read-json.ts';

export const interpreterSchema = z.object({
  path: z.string().describe('Absolute; of a virtual environment, its own.'),
  version: z.string(),
  prefix: z.string().describe('The folder it and its packages are in.'),
  base_prefix: z.string().describe('The folder of the Python that a virtual environment rests on.'),
  packages: z
    .record(z.string(), z.string())
    .describe('Versions of the packages that training uses.'),
  has_venv: z.boolean(),
});

export type Interpreter = z.output<typeof interpreterSchema>;

const folders = ['/usr/bin', '/usr/local/bin', '/opt/homebrew/bin', '/opt/conda/bin'];
const namePattern = /^python3(?:\.\d{1,2})?$/;
const maxInterpreters = 12;
const probeMs = 60_000;
/** What engines ask for; others are looked up when they are required. */
const usualPackages = [
  'numpy',
  'torch',
  'transformers',
  'peft',
  'datasets',
  'scikit-learn',
  'xgboost',
  'safetensors',
  'sentencepiece',
];

const probe = `
import json, sys
from importlib import metadata, util
found = {}
for name in json.loads(sys.argv[1]):
    try: found[name] = metadata.version(name)
    except Exception: pass
print(json.dumps({"path": sys.executable, "version": sys.version.split()[0], "prefix": sys.prefix, "base_prefix": sys.base_prefix, "packages": found, "has_venv": util.find_spec("venv") is not None and util.find_spec("ensurepip") is not None}))
`;

type Parts = Pick<MlParts, 'runProgram' | 'surroundings'>;

/** Every Python of this machine, by its absolute path: which one "python3" is depends on PATH, and often has no torch. */
export async function findInterpreters(
  { runProgram, surroundings }: Parts,
  signal: AbortSignal,
  wanted: readonly string[] = [],
): Promise<readonly Interpreter[]> {
  const { searchPath, homeDirectory } = surroundings;
  const own = ['miniconda3/bin', 'anaconda3/bin', '.local/bin'];
  const searched = [
    ...folders,
    ...searchPath.split(':').filter((part) => part.startsWith('/')),
    ...own.map((folder) => join(homeDirectory, folder)),
  ];
  const paths = await distinctPrograms([...new Set(searched)]);
  const names = JSON.stringify([...new Set([...usualPackages, ...wanted])]);
  const found = new Map<string, Interpreter>();
  for (const path of paths.slice(0, maxInterpreters)) {
    // Isolated: what the folder or the user has installed beside it does not count.
    const outcome = await runProgram([path, '-I', '-c', probe, names], {
      timeoutMs: probeMs,
      signal,
    }).catch(() => undefined);
    signal.throwIfAborted();
    const interpreter = outcome && readProbe(outcome.stdout);
    // A shim and what it starts are one.
    if (interpreter && !found.has(interpreter.prefix)) found.set(interpreter.prefix, interpreter);
  }
  return [...found.values()];
}

async function distinctPrograms(searched: readonly string[]): Promise<readonly string[]> {
  const paths = new Map<string, string>();
  for (const folder of searched) {
    const names = await readdir(folder).catch((): string[] => []);
    for (const name of names.filter((one) => namePattern.test(one)).toSorted()) {
      const path = join(folder, name);
      if (!(await isThere(path, constants.X_OK))) continue;
      // The Python of a virtual environment is a link, and knows itself by its own path.
      const isVirtual = await isThere(join(dirname(folder), 'pyvenv.cfg'));
      const identity = isVirtual ? folder : await realpath(path).catch(() => path);
      if (!paths.has(identity)) paths.set(identity, path);
    }
  }
  return [...paths.values()];
}

export const isThere = (path: string, mode = constants.F_OK): Promise<boolean> =>
  access(path, mode).then(
    () => true,
    () => false,
  );

function readProbe(text: string): Interpreter | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? interpreterSchema.parse(value) : undefined;
  } catch {
    return undefined;
  }
}
