import { access, constants, readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { RunProgram } from '../ml-ports.ts';
import { isObject } from '../dataset/read-json.ts';

export const interpreterSchema = z.object({
  path: z.string().describe('Absolute, without links.'),
  version: z.string(),
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
print(json.dumps({"version": sys.version.split()[0], "packages": found, "venv": util.find_spec("venv") is not None and util.find_spec("ensurepip") is not None}))
`;

export interface Search {
  readonly runProgram: RunProgram;
  readonly signal: AbortSignal;
  readonly searchPath: string;
  readonly home: string;
}

/** Every Python of this machine, by its absolute path: which one "python3" is depends on PATH, and often has no torch. */
export async function findInterpreters(
  search: Search,
  wanted: readonly string[] = [],
): Promise<readonly Interpreter[]> {
  const { runProgram, signal, searchPath, home } = search;
  const own = [join(home, 'miniconda3/bin'), join(home, 'anaconda3/bin'), join(home, '.local/bin')];
  const places = [
    ...new Set([
      ...folders,
      ...searchPath.split(':').filter((part) => part.startsWith('/')),
      ...own,
    ]),
  ];
  const paths = new Set<string>();
  for (const place of places) {
    for (const name of (await readdir(place).catch(() => [])).filter((one) =>
      namePattern.test(one),
    )) {
      const path = join(place, name);
      const isThere = await access(path, constants.X_OK).then(
        () => true,
        () => false,
      );
      if (isThere) paths.add(await realpath(path).catch(() => path));
    }
  }
  const names = [...new Set([...usualPackages, ...wanted])];
  const found: Interpreter[] = [];
  for (const path of [...paths].slice(0, maxInterpreters)) {
    // Isolated: what the folder or the user has installed beside it does not count.
    const outcome = await runProgram([path, '-I', '-c', probe, JSON.stringify(names)], {
      timeoutMs: probeMs,
      signal,
    }).catch(() => undefined);
    const interpreter = outcome && readProbe(path, outcome.stdout);
    if (interpreter) found.push(interpreter);
  }
  return found;
}

function readProbe(path: string, text: string): Interpreter | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value)) return undefined;
    return interpreterSchema.parse({ path, ...value, has_venv: value['venv'] });
  } catch {
    return undefined;
  }
}
