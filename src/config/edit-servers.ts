import type { ServerEdit } from '../contract/server-files/index.ts';
import { changeSettingsFile } from './change-settings-file.ts';
import { editYaml, type YamlChange } from './edit-yaml.ts';
import { ServerNameError } from './errors.ts';
import type { SettingsFile } from './settings-document.ts';
import { isRecord } from './transform-value.ts';

/**
 * Makes the edits in a settings file, all or none, and leaves the rest of its text alone. Throws
 * `ServerNameError` when it has no such server or one already, and what `changeSettingsFile` throws.
 */
export async function editServers(file: SettingsFile, edits: readonly ServerEdit[]): Promise<void> {
  await changeSettingsFile(file, async (text) => {
    let edited = text;
    for (const edit of edits) edited = await applyEdit(edited, edit, file.path);
    return edited;
  });
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
