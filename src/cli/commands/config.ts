import type { SettingRow } from '../../contract/settings/index.ts';
import { UnknownNameError } from '../errors.ts';
import type { Invocation } from '../invocation.ts';
import { formatColumns } from '../output.ts';

export async function run(invocation: Invocation): Promise<number> {
  const { io, output, flags, operands } = invocation;
  const [prefix] = operands;
  const { loadSettingsOnly } = await io.compose();
  const settings = await loadSettingsOnly({ flags, env: io.env, cwd: io.cwd });
  for (const warning of settings.warnings) output.note(`warning: ${warning}`);
  const all = settings.describe();
  const rows = all.filter(({ key }) => isWithin(key, prefix));
  if (prefix !== undefined && rows.length === 0) {
    throw new UnknownNameError('setting', prefix, [...namesOf(all)]);
  }
  const shown = rows.map((row) => ({ ...row, value: row.value ?? null }));
  output.result(shown, () => formatColumns(rows.map((row) => showRow(row))));
  return 0;
}

/** Every setting and every group of them. */
function namesOf(rows: readonly SettingRow[]): ReadonlySet<string> {
  return new Set(
    rows.flatMap(({ key }) => {
      const parts = key.split('.');
      return parts.map((_, index) => parts.slice(0, index + 1).join('.'));
    }),
  );
}

function isWithin(key: string, prefix: string | undefined): boolean {
  return prefix === undefined || key === prefix || key.startsWith(`${prefix}.`);
}

function showRow({ key, value, source }: SettingRow): readonly string[] {
  return [key, value === undefined ? '(not set)' : JSON.stringify(value), source];
}
