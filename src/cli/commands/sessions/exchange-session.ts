import { link, open, rename, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { localCaller } from '../../../contract/caller/index.ts';
import { counted } from '../../../kernel/index.ts';
import { UsageError } from '../../errors.ts';
import { withSystem, type Invocation } from '../../invocation.ts';
import { readInput } from '../../read-input.ts';

/** `sessions export SESSION [FILE]`: the JSON to a file, or to standard output. */
export function exportSession(
  invocation: Invocation,
  [id = '', file]: readonly string[],
): Promise<number> {
  const { io, output, options } = invocation;
  return withSystem(invocation, {}, async ({ memory }) => {
    const session = await memory.sessions.show(localCaller, id);
    const text = `${JSON.stringify(session, null, 2)}\n`;
    if (file === undefined) {
      output.result(session, () => text);
      return 0;
    }
    const path = resolve(io.cwd, file);
    await writeWhole(path, text, options['force'] === true);
    output.result(
      { id: session.id, path, bytes: Buffer.byteLength(text) },
      () => `Session ${session.id} was written to ${path}`,
    );
    return 0;
  });
}

/** `sessions import FILE`: a session from JSON; `-` is standard input. */
export async function importSession(
  invocation: Invocation,
  [file = '']: readonly string[],
): Promise<number> {
  const data = parse(file, await readInput(file, invocation.io));
  return withSystem(invocation, {}, async ({ memory }) => {
    const imported = await memory.sessions.import(localCaller, data);
    const { id, title, turns } = imported;
    invocation.output.result(
      imported,
      () => `Session ${id} "${title}" was imported with ${counted(turns, 'turn')}`,
    );
    return 0;
  });
}

function parse(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`"${file}" was not imported: it is not JSON (${reason})`, {
      cause: error,
    });
  }
}

/** The file is there whole or, when this fails, as it was. */
async function writeWhole(path: string, text: string, isForced: boolean): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    const draft = await open(temporary, 'wx', 0o600);
    try {
      await draft.writeFile(text);
      await draft.sync();
    } finally {
      await draft.close();
    }
    // A second name for the file, unlike a new one, never takes the place of another file.
    if (isForced) await rename(temporary, path);
    else await link(temporary, path);
  } catch (error) {
    const isThere = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    const reason = isThere
      ? 'the file is there already; --force replaces it'
      : error instanceof Error
        ? error.message
        : String(error);
    throw new UsageError(`The session was not written to ${path}: ${reason}`, { cause: error });
  } finally {
    await rm(temporary, { force: true });
  }
}
