import { UsageError } from '../errors.ts';
import { onlyOption, withSystem, type Invocation } from '../invocation.ts';
import type { Face } from '../system.ts';

export async function run(invocation: Invocation): Promise<number> {
  const { io } = invocation;
  const face = faceOf(invocation);
  return withSystem(invocation, { ...onlyOption(invocation), face }, async (system) => {
    const { stdin, stdout, signal, desk } = io;
    const opening = desk?.handOver(system.startConditions());
    await system.serveStdio({ stdin, stdout, signal, opening });
    return 0;
  });
}

function faceOf({ options }: Invocation): Face {
  if (options['compact'] === true && options['all'] === true) {
    throw new UsageError('--compact and --all exclude each other');
  }
  if (options['compact'] === true) return 'compact';
  return options['all'] === true ? 'all' : 'auto';
}
