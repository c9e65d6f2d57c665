import { changeSettingsFile } from './change-settings-file.ts';
import { editYaml } from './edit-yaml.ts';
import type { SettingsFile } from './settings-document.ts';

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
