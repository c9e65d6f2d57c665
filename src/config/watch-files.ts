import { stat } from 'node:fs/promises';

interface FileWatch {
  /** Checks now, as the timer does, and waits for `onChange`. */
  check(): Promise<void>;
  close(): void;
}

interface WatchOptions {
  /** Asked at every look, because which files count may change. */
  readonly paths: () => Promise<readonly string[]>;
  /** Called when a file changed, appeared or went, once it has been the same for two looks. */
  readonly onChange: () => Promise<void>;
  readonly pollMs: number;
}

/**
 * Polls files. Unlike notifications of the system, polling works on every file system, with files that are replaced
 * and with folders that are created later; a few files cost nothing.
 */
export async function watchFiles({ paths, onChange, pollMs }: WatchOptions): Promise<FileWatch> {
  // The first look counts as a change: a file may have changed between being read and being watched.
  let known: string | undefined;
  let latest = await picture(paths);
  let isLooking = false;
  let isClosed = false;

  const check = async (): Promise<void> => {
    const seen = await picture(paths);
    const isSettled = seen === latest;
    latest = seen;
    if (isClosed || !isSettled || seen === known) return;
    known = seen;
    await onChange();
  };
  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    void check().finally(() => {
      isLooking = false;
    });
  }, pollMs);
  timer.unref();
  return {
    check,
    close: () => {
      isClosed = true;
      clearInterval(timer);
    },
  };
}

/** Differs whenever one of the files does. */
async function picture(paths: WatchOptions['paths']): Promise<string> {
  const looks = (await paths()).map(async (path) => {
    const found = await stat(path, { bigint: true }).catch(() => undefined);
    return [path, found && `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`];
  });
  return JSON.stringify(await Promise.all(looks));
}
