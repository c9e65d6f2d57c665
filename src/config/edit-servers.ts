import type { ServerEdit } from '../contract/server-files/index.ts';
import { ConfigError, FileNotWrittenError, ServerNameError } from './errors.ts';
import { editYaml, type YamlChange } from './edit-yaml.ts';
import { withFileLock } from './file-lock.ts';
import { readBytes } from './read-bytes.ts';
import { maxFileBytes, readSettingsBytes } from './read-file.ts';
import { listSettings } from './setting.ts';
import type { SettingsFile } from './settings-document.ts';
import { isRecord } from './transform-value.ts';
import { makeFolderFor, realFile, writeFileAtomically } from './write-file-atomically.ts';

/**
 * Makes the edits in a settings file, all or none, and leaves the rest of its text alone. Edits of
 * several processes happen one after the other. Throws `ConfigError` when the file, or what an edit
 * would make of it, is not valid, and `ServerNameError` when it has no such server or one already.
 */
export async function editServers(file: SettingsFile, edits: readonly ServerEdit[]): Promise<void> {
  const path = await realFile(file.path, file.kind);
  await makeFolderFor(path);
  await withFileLock(path, async () => {
    const before = await readOrEmpty(path);
    let text = await checkedText(file, before);
    for (const edit of edits) text = await applyEdit(text, edit, file.path);
    const after = Buffer.from(text);
    await checkedText(file, after);
    if (!after.equals(before)) await writeFileAtomically(path, text);
  });
}

async function readOrEmpty(path: string): Promise<Uint8Array> {
  try {
    return (await readBytes(path, maxFileBytes + 1)) ?? new Uint8Array();
  } catch (error) {
    throw new FileNotWrittenError(path, error);
  }
}

async function checkedText(file: SettingsFile, bytes: Uint8Array): Promise<string> {
  const { problems } = await readSettingsBytes(listSettings(), file, bytes);
  if (problems.length > 0) throw new ConfigError(problems);
  return Buffer.from(bytes).toString('utf8');
}

async function applyEdit(text: string, edit: ServerEdit, file: string): Promise<string> {
  const { parse } = await import('yaml');
  const settings: unknown = parse(text);
  const servers = isRecord(settings) ? settings['mcpServers'] : undefined;
  const known = isRecord(servers) ? servers : {};
  const isThere = Object.hasOwn(known, edit.name);
  if (isThere === (edit.kind === 'add')) {
    throw new ServerNameError({ name: edit.name, file, isThere, known: Object.keys(known) });
  }
  return changesFor(edit, known[edit.name]).reduce<Promise<string>>(
    async (changed, change) => editYaml(await changed, change),
    Promise.resolve(text),
  );
}

/** `enabled` and `disabled` say the same; the edit speaks the entry's own language. */
function changesFor(edit: ServerEdit, entry: unknown): YamlChange[] {
  const path = ['mcpServers', edit.name];
  if (edit.kind === 'add') return [{ path, value: edit.entry }];
  if (edit.kind === 'remove') return [{ path, value: undefined }];
  const isWanted = edit.kind === 'enable';
  const { enabled, disabled }: Readonly<Record<string, unknown>> = isRecord(entry) ? entry : {};
  const changes: YamlChange[] = [];
  if (enabled !== undefined || (!isWanted && disabled === undefined)) {
    changes.push({ path: [...path, 'enabled'], value: isWanted });
  }
  if (disabled !== undefined) changes.push({ path: [...path, 'disabled'], value: !isWanted });
  return changes;
}
