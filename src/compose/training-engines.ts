import type { Settings } from '../config/index.ts';
import type { TrainingEngine } from '../contract/ml/index.ts';
import type { Sandbox } from '../contract/sandbox/index.ts';
import type { FaultPoint, Log } from '../kernel/index.ts';
import type { MlParts } from '../toolbox/ml/index.ts';
import { ceilingsOf } from './sandbox.ts';

export interface TrainingEngineParts {
  readonly settings: Settings;
  readonly version: string;
  readonly log: Log;
  readonly sandbox: () => Promise<Sandbox>;
  readonly faults: FaultPoint;
  readonly runProgram: MlParts['runProgram'];
  readonly surroundings: MlParts['surroundings'];
}

/** The engines of this machine, the default first. */
export async function trainingEngines(
  parts: TrainingEngineParts,
): Promise<readonly TrainingEngine[]> {
  const { settings, version, log, sandbox, faults, runProgram, surroundings } = parts;
  const engines = await import('../toolbox/ml/index.ts');
  const context = { sandbox, ceilings: ceilingsOf(settings), version, log, faults };
  const searched = { home: settings.home, runProgram, surroundings };
  const environments = async () => [
    ...(await engines.usableEnvironments(searched)),
    engines.systemPython,
  ];
  return [
    engines.createEmbeddedEngine(context),
    engines.createPythonEngine({ ...context, environments }),
    engines.createGgufEngine(context),
  ];
}
