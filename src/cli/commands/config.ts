import type { SettingRow } from '../../contract/settings/index.ts';
import { UsageError } from '../errors.ts';
import type { Invocation } from '../invocation.ts';
import { formatColumns } from '../output.ts';

export async function run(invocation: Invocation): Promise<number> {
  const { io, output, flags, operands } = invocation;
  const [prefix] = operands;
  const { loadSettingsOnly } = await io.compose();
  const settings = await loadSettingsOnly({ flags, env: io.env, cwd: io.cwd });
  for (const warning of settings.warnings) output.note(`warning: ${warning}`);
  const rows = settings.describe().filter(({ key }) => isWithin(key, prefix));
  if (rows.length === 0) {
    throw new UsageError(`There is no setting "${prefix}", and no group of that name`);
  }
  const shown = rows.map((row) => ({ ...row, value: row.value ?? null }));
  output.result(shown, () => formatColumns(rows.map((row) => showRow(row))));
  return 0;
}

function isWithin(key: string, prefix: string | undefined): boolean {
  return prefix === undefined || key === prefix || key.startsWith(`${prefix}.`);
}

function showRow({ key, value, source }: SettingRow): readonly string[] {
  return [key, value === undefined ? '(not set)' : JSON.stringify(value), source];
}
