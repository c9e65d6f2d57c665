import { spawn, type ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { ProcessExit, ProcessOwner } from '../../../../src/kernel/index.ts';

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** Starts programs in groups of their own and kills the groups: all that tests of links need. */
export function spawnOwner(): ProcessOwner {
  const running = new Set<Child>();
  const kill = (child: Child): void => {
    try {
      process.kill(-(child.pid ?? 0), 'SIGKILL');
    } catch {
      // The group is gone.
    }
  };
  return {
    start: async ({ command, args, cwd, env }) => {
      const child = spawn(command, args, {
        ...(cwd === undefined ? {} : { cwd }),
        env: { ...env },
        stdio: ['pipe', 'pipe', 'pipe'],
        detached: true,
      });
      running.add(child);
      const exited = new Promise<ProcessExit>((resolve) => {
        child.once('exit', (exitCode, signal) => {
          running.delete(child);
          resolve({ exitCode, signal });
        });
      });
      const stop = async (): Promise<ProcessExit> => {
        kill(child);
        return await exited;
      };
      const { pid = 0, stdin, stdout, stderr } = child;
      return { pid, stdin, stdout, stderr, pipes: [], exited, stop };
    },
    measure: async () => null,
    close: async () => {
      for (const child of running) kill(child);
    },
  };
}
