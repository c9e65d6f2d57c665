import type { Readable } from 'node:stream';

/** The status of one sandbox is a few short lines. */
const maxStatusCharacters = 10_000;

/**
 * The host's pid of the first process inside, which bwrap tells before anything runs there. Undefined
 * when it ended without one.
 */
export function readChildPid(status: Readable): Promise<number | undefined> {
  return new Promise((resolve) => {
    let text = '';
    status.setEncoding('latin1');
    status.on('data', (part: string) => {
      if (text.length < maxStatusCharacters) text += part;
      const pid = /"child-pid": (\d+)/.exec(text)?.[1];
      if (pid !== undefined) resolve(Number(pid));
    });
    status.on('close', () => resolve(undefined));
  });
}
