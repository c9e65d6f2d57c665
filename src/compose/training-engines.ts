import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Settings } from '../config/index.ts';
import type { TrainingEngine } from '../contract/ml/index.ts';
import type { Sandbox } from '../contract/sandbox/index.ts';
import type { FaultPoint, Log } from '../kernel/index.ts';
import type { PythonEnvironment } from '../toolbox/ml/index.ts';
import { ceilingsOf } from './sandbox.ts';

export interface TrainingEngineParts {
  readonly settings: Settings;
  readonly version: string;
  readonly log: Log;
  readonly sandbox: () => Promise<Sandbox>;
  readonly faults: FaultPoint;
}

/** The engines of this machine, the default first. */
export async function trainingEngines(
  parts: TrainingEngineParts,
): Promise<readonly TrainingEngine[]> {
  const { settings, version, log, sandbox, faults } = parts;
  const engines = await import('../toolbox/ml/index.ts');
  const context = { sandbox, ceilings: ceilingsOf(settings), version, log, faults };
  const environments = [...(await builtEnvironments(settings.home)), engines.systemPython];
  return [
    engines.createEmbeddedEngine(context),
    engines.createPythonEngine({ ...context, environments }),
    engines.createGgufEngine(context),
  ];
}

/** Those that `ml.create_env` has built and tested, shown to the sandbox read-only. */
async function builtEnvironments(home: string): Promise<readonly PythonEnvironment[]> {
  const folder = join(home, 'ml', 'environments');
  const names = await readdir(folder).catch(() => []);
  const built = names.filter((name) => existsSync(join(folder, name, 'tested.json')));
  return built.map((name) => ({
    interpreter: `/opt/${name}/bin/python`,
    mounts: [{ source: join(folder, name), target: `/opt/${name}` }],
  }));
}
