import { access } from 'node:fs/promises';
import type { ServerEdit } from '../contract/server-files/index.ts';
import { editYaml, type YamlChange } from './edit-yaml.ts';
import { ConfigError, FileNotWrittenError, ServerNameError } from './errors.ts';
import {
  makeFolderFor,
  readBytes,
  realFile,
  withFileLock,
  writeFileAtomically,
} from './locked-file.ts';
import { maxFileBytes, readSettingsBytes } from './read-file.ts';
import { isRecord, listSettings } from './setting.ts';
import type { SettingsFile } from './settings-document.ts';

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

/**
 * Changes the text of a settings file, wholly or not at all. Changes of several processes happen one
 * after the other. Throws `ConfigError` when the file, or what the change makes of it, is not valid.
 */
async function changeSettingsFile(
  file: SettingsFile,
  change: (text: string) => Promise<string>,
): Promise<void> {
  const path = await realFile(file.path, file.kind);
  await makeFolderFor(path);
  await withFileLock(path, async () => {
    const before = await readOrEmpty(path);
    const text = await change(await checkedText(file, before));
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

/** Names a model in a settings file, in place of one of the same name, and leaves the rest of its text alone. */
export async function addModel(
  file: SettingsFile,
  name: string,
  entry: Readonly<Record<string, unknown>>,
): Promise<void> {
  await changeSettingsFile(file, (text) =>
    editYaml(text, { path: ['models', 'providers', name], value: entry }),
  );
}

const firstText = `# Settings of Tutti for all your projects. \`tutti config\` shows every setting and where its value comes from;
# docs/configuration.md describes them. A setting that is not here has its default.

# logging:
#   level: warn

# MCP servers for \`tutti mcp\` and \`tutti serve\`, as other clients write them. \`tutti servers add\` adds here.
# Keep secrets out of this file: \${env:NAME} stands for an environment variable, \${file:/path} for a file.
#
# mcpServers:
#   github:
#     command: npx
#     args: [-y, "@modelcontextprotocol/server-github"]
#     env:
#       GITHUB_TOKEN: \${env:GITHUB_TOKEN}
`;

/** Writes a first file with explanations, unless there is one. Says whether it did. */
export async function createUserFile(file: string): Promise<boolean> {
  const path = await realFile(file, 'user');
  await makeFolderFor(path);
  return withFileLock(path, async () => {
    const isThere = await access(path).then(
      () => true,
      () => false,
    );
    if (!isThere) await writeFileAtomically(path, firstText);
    return !isThere;
  });
}
