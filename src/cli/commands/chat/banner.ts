import { TimeLimitError, withTimeLimit } from '../../../kernel/index.ts';
import type { Invocation } from '../../invocation.ts';
import type { System } from '../../system.ts';

/** Looking for models takes longer where one does not answer; nobody waits for that to type. */
const findLimitMs = 1_000;

/** Says who is there, before the first prompt. */
export async function greet(
  { version, models }: System,
  { io, output }: Invocation,
): Promise<void> {
  const { paint } = output;
  io.stdout.write(
    `${paint.bold(`Tutti ${version}`)}  ${paint.dim('/help lists the commands, Ctrl-D leaves')}\n`,
  );
  io.stdout.write(`${paint.dim(await describeModel(models, io.signal))}\n`);
}

async function describeModel(models: System['models'], signal: AbortSignal): Promise<string> {
  try {
    const limit = { what: 'Looking for a model', limitMs: findLimitMs, signal };
    const model = await withTimeLimit(limit, () => models.find('agent'));
    if (model) return `Model: ${model.name}`;
    return 'No model: plans are made without one. "/models" shows how to connect one';
  } catch (error) {
    if (error instanceof TimeLimitError) return 'Still looking for a model';
    return `No model: ${error instanceof Error ? error.message : String(error)}`;
  }
}
