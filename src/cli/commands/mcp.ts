import { faceOption } from '../face-option.ts';
import { onlyOption, withSystem, type Invocation } from '../invocation.ts';

export async function run(invocation: Invocation): Promise<number> {
  const { io } = invocation;
  const face = faceOption(invocation);
  return withSystem(invocation, { ...onlyOption(invocation), face }, async (system) => {
    const { stdin, rawStdout: stdout, signal, desk } = io;
    const opening = desk?.handOver(system.startConditions());
    await system.serveStdio({ stdin, stdout, signal, opening });
    return 0;
  });
}
