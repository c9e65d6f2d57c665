import { textOption, withSystem, type Invocation } from '../invocation.ts';
import { untilAborted } from '../until-aborted.ts';

export async function run(invocation: Invocation): Promise<number> {
  const { io } = invocation;
  const names = textOption(invocation, 'only')?.split(',') ?? [];
  const only = names.map((name) => name.trim()).filter((name) => name !== '');
  const options = { log: 'file', ...(only.length > 0 && { only }) } as const;
  return withSystem(invocation, options, async (system) => {
    const { stdin, stdout } = io;
    await Promise.race([system.serveStdio({ stdin, stdout }), untilAborted(io.signal)]);
    return 0;
  });
}
