import { digestJson } from '../../../kernel/index.ts';
import type { PythonEnvironment } from '../engines/index.ts';
import type { MlParts } from '../ml-ports.ts';
import { listBuilt } from './build-environment.ts';
import { findInterpreters, type Interpreter } from './find-interpreters.ts';
import { mountsOf } from './test-environment.ts';

/** Long enough for a machine under load to start a dozen interpreters. */
const searchMs = 120_000;

/** Pythons that may have torch, as they are at this moment: those that were built, newest first, then those of this machine. */
export async function usableEnvironments(
  parts: Pick<MlParts, 'home' | 'runProgram' | 'surroundings'>,
): Promise<readonly PythonEnvironment[]> {
  const built = (await listBuilt(parts.home))
    .filter(({ environment }) => environment.can_finetune)
    .map(({ interpreter, environment }) => environmentOf(interpreter, environment.hash));
  const found = (await findInterpreters(parts, AbortSignal.timeout(searchMs)))
    .filter(({ packages }) => packages['torch'] !== undefined)
    .map((interpreter) =>
      environmentOf(interpreter, digestJson([interpreter.version, interpreter.packages])),
    );
  return [...built, ...found];
}

function environmentOf(interpreter: Interpreter, hash: string): PythonEnvironment {
  return { interpreter: interpreter.path, mounts: mountsOf(interpreter), hash };
}
