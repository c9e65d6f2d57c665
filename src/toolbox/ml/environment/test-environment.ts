import { z } from 'zod';
import type { SandboxLimits, SandboxMount } from '../../../contract/sandbox/index.ts';
import { digestJson, liesInside } from '../../../kernel/index.ts';
import { PythonEnvironmentError } from '../errors.ts';
import type { MlParts } from '../ml-ports.ts';
import type { Interpreter } from './find-interpreters.ts';
import { adviceFor, aptFor, nameOf } from './package-names.ts';

const mebibyte = 1024 * 1024;
const testLimits: SandboxLimits = {
  wallMs: 5 * 60_000,
  cpuMs: 2 * 60_000,
  cpus: 1,
  memoryBytes: 2048 * mebibyte,
  pids: 64,
  diskBytes: 16 * mebibyte,
  openFiles: 256,
  outputBytes: 4 * mebibyte,
};
const maxShownOutput = 800;
/** Below this torch works on a reference BLAS, ten times slower than it could be. */
const slowGflops = 8;

export const environmentSchema = z.object({
  python: z.string().describe('The interpreter, absolute.'),
  folder: z
    .string()
    .nullable()
    .describe('Where it was built; null where an installed Python has everything.'),
  hash: z.string().describe('Of the interpreter and all packages in it.'),
  packages: z.record(z.string(), z.string()),
  can_finetune: z
    .boolean()
    .describe('It has torch: the engine python trains with it right away, in the sandbox.'),
  gflops: z.number().nullable().describe('Measured with a matrix product; null without numpy.'),
  warnings: z.array(z.string()),
});

export type Environment = z.output<typeof environmentSchema>;

const smoke = `
import importlib, json, sys, time
from importlib import metadata
found, failed = {}, {}
def plain(name): return name.lower().replace("_", "-").replace(".", "-")
modules = {}
for module, owners in getattr(metadata, "packages_distributions", dict)().items():
    for owner in owners: modules.setdefault(plain(owner), []).append(module)
for name in json.loads(sys.argv[1]):
    try:
        for module in modules.get(plain(name)) or [name.replace("-", "_")]:
            loaded = importlib.import_module(module)
        try: found[name] = metadata.version(name)
        except metadata.PackageNotFoundError: found[name] = str(getattr(loaded, "__version__", "installed"))
    except BaseException as error:
        failed[name] = "%s: %s" % (type(error).__name__, error)
gflops = None
try:
    try:
        import torch as maths; maths.set_num_threads(1); a = maths.ones(512, 512); product = lambda: a @ a
    except ImportError:
        import numpy as maths; a = maths.ones((512, 512), dtype="float32"); product = lambda: a @ a
    product(); start = time.process_time(); [product() for _ in range(20)]
    gflops = 20 * 2 * 512 ** 3 / max(1e-9, time.process_time() - start) / 1e9
except Exception:
    pass
installed = sorted("%s==%s" % (one.metadata["Name"], one.version) for one in metadata.distributions())
print()
print(json.dumps({"packages": found, "failed": failed, "gflops": gflops, "installed": installed, "has_torch": "torch" in sys.modules}))
`;

const smokeSchema = z.object({
  packages: z.record(z.string(), z.string()),
  failed: z.record(z.string(), z.string()),
  gflops: z.number().nullable(),
  installed: z.array(z.string()),
  has_torch: z.boolean(),
});

interface Tested {
  readonly interpreter: Pick<Interpreter, 'path' | 'version' | 'prefix' | 'base_prefix'>;
  readonly folder: string | null;
  readonly wanted: readonly string[];
}

/**
 * Imports the packages in the sandbox, without network and as training will see them: what passes can be trained with, and
 * no code of a package runs on this machine. Throws `ml.bad_environment`.
 */
export async function testEnvironment(
  { sandbox }: Pick<MlParts, 'sandbox'>,
  { interpreter, folder, wanted }: Tested,
  signal: AbortSignal,
): Promise<Environment> {
  const python = interpreter.path;
  const result = await (
    await sandbox()
  ).run(
    {
      toolchain: 'shell',
      program: {
        kind: 'command',
        argv: [python, '-I', 'smoke.py', JSON.stringify(wanted.map(nameOf))],
      },
      files: { 'smoke.py': smoke },
      env: { OMP_NUM_THREADS: '1', OPENBLAS_NUM_THREADS: '1' },
      stdin: '',
      limits: testLimits,
      mounts: mountsOf(interpreter),
      collect: null,
    },
    { signal },
  );
  signal.throwIfAborted();
  const [stdout, stderr] = [result.stdout, result.stderr].map((one) => Buffer.from(one).toString());
  const parsed = smokeSchema.safeParse(readJson(stdout?.trim().split('\n').at(-1) ?? ''));
  if (!parsed.success) {
    const said = result.reason ?? stderr?.trim().slice(-maxShownOutput) ?? '';
    throw new PythonEnvironmentError(
      `${python} did not pass its test in the sandbox: ${said}`,
      adviceFor(wanted),
    );
  }
  const { packages, failed, gflops, installed, has_torch: hasTorch } = parsed.data;
  const [broken] = Object.entries(failed);
  if (broken) {
    throw new PythonEnvironmentError(
      `${broken[0]} cannot be imported (${broken[1]})`,
      adviceFor(wanted),
    );
  }
  const isSlow = gflops !== null && gflops < slowGflops;
  return {
    python,
    folder,
    hash: digestJson([python, interpreter.version, installed]).slice(7, 47),
    packages,
    can_finetune: hasTorch,
    gflops,
    warnings: [
      ...(isSlow
        ? [
            `only ${gflops.toFixed(1)} GFLOPS: a reference BLAS; ${aptFor(['libopenblas0-pthread'])}`,
          ]
        : []),
      ...(hasTorch ? [] : ['without torch the engine python trains nothing with it']),
    ],
  };
}

/** The sandbox has the system's folders anyway; what is elsewhere is shown read-only at its own path. */
export function mountsOf({
  prefix,
  base_prefix: base,
}: Pick<Interpreter, 'prefix' | 'base_prefix'>): readonly SandboxMount[] {
  const outside = [...new Set([prefix, base])].filter((folder) => !liesInside('/usr', folder));
  const outermost = outside.filter(
    (folder) => !outside.some((other) => other !== folder && liesInside(other, folder)),
  );
  return outermost.map((folder) => ({ source: folder, target: folder }));
}

export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
