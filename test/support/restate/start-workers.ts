import type { OwnedProcess, ProcessOwner } from '../../../src/kernel/index.ts';
import type { RigOptions } from './open-rig.ts';

const program = new URL('./run-worker.ts', import.meta.url).pathname;

export interface WorkerProcess {
  readonly process: OwnedProcess;
  /** Where it listens. */
  readonly url: string;
}

/** A worker in a process of its own; resolves when Restate knows it. */
export async function startWorker(
  owner: ProcessOwner,
  options: Omit<RigOptions, 'log'> & { readonly port: number; readonly url?: string },
): Promise<WorkerProcess> {
  const child = await owner.start({
    command: process.execPath,
    args: [program, JSON.stringify(options)],
    env: { PATH: process.env['PATH'] ?? '' },
  });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString().trim()));
    void child.exited.then(() => reject(new Error(`The worker ended: ${errors}`)));
  });
  return { process: child, url };
}
