import { engineOption } from '../engine-option.ts';
import { withSystem, type Invocation } from '../invocation.ts';

export async function run(invocation: Invocation): Promise<number> {
  const { io, output } = invocation;
  const engine = engineOption(invocation);
  return withSystem(invocation, {}, async (system) => {
    await system.work({
      ...(engine !== undefined && { engine }),
      signal: io.signal,
      onReady: (worker) => {
        output.result(worker, () =>
          worker.url === null
            ? `executing runs on the ${worker.engine} engine`
            : `executing runs on the ${worker.engine} engine, reached at ${worker.url}`,
        );
      },
    });
    return 0;
  });
}
