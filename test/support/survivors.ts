import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The marks of all owners that ever wrote a record into a run directory and did not end properly. */
export function marksIn(runDirectory: string): string[] {
  return readdirSync(runDirectory)
    .filter((name) => name.endsWith('.json'))
    .map((name) => `${name.slice(0, -'.json'.length)}.`);
}

/** Processes that run and whose environment holds the mark, as `PID COMMAND`. */
export function survivorsOf(mark: string): string[] {
  return processesWith('environ', mark).map(({ pid, command }) => `${pid} ${command}`);
}

/** The processes that guard what carries the mark. */
export function guardiansOf(mark: string): number[] {
  return processesWith('cmdline', `guardian.sh\0${mark}`).map(({ pid }) => pid);
}

function processesWith(
  file: 'environ' | 'cmdline',
  text: string,
): { pid: number; command: string }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && read(join('/proc', name, file)).includes(text))
    .map((name) => ({
      pid: Number(name),
      command: read(join('/proc', name, 'cmdline')).replaceAll('\0', ' '),
    }));
}

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
