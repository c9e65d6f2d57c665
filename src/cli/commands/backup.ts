import { resolve } from 'node:path';
import { withSystem, type Invocation } from '../invocation.ts';

export async function run(invocation: Invocation): Promise<number> {
  const { io, output, operands, options } = invocation;
  const stamp = new Date().toISOString().replaceAll(/[:.]/g, '-');
  const target = resolve(io.cwd, operands[0] ?? `tutti-backup-${stamp}.db`);
  return withSystem(invocation, {}, async (system) => {
    const backup = await system.backup(target, { force: options['force'] === true });
    output.result(
      backup,
      () => `The database was copied to ${backup.path} (${backup.bytes} bytes)`,
    );
    return 0;
  });
}
