import type { Readable } from 'node:stream';

/** Resolves when the stream has ended, failed or closed. */
export async function untilEnded(stream: Readable): Promise<void> {
  await new Promise<void>((resolve) => {
    stream.on('error', () => resolve());
    stream.once('end', () => resolve());
    stream.once('close', () => resolve());
  });
}

/** Waits for a promise that never rejects, at most `limitMs`; false on a timeout. */
export async function settlesWithin(promise: Promise<unknown>, limitMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, limitMs, false);
  });
  const isSettled = await Promise.race([promise.then(() => true), late]);
  clearTimeout(timer);
  return isSettled;
}
