import { textOption, withSystem, type Invocation } from '../invocation.ts';

export async function run(invocation: Invocation): Promise<number> {
  const { io } = invocation;
  const names = textOption(invocation, 'only')?.split(',') ?? [];
  const only = names.map((name) => name.trim()).filter((name) => name !== '');
  return withSystem(invocation, only.length > 0 ? { only } : {}, async (system) => {
    const { stdin, stdout, signal } = io;
    await system.serveStdio({ stdin, stdout, signal });
    return 0;
  });
}
