import type { Check, CheckDetail } from '../../contract/doctor/index.ts';
import { withSystem, type Invocation } from '../invocation.ts';
import { formatColumns, type Paint } from '../output.ts';

export async function run(invocation: Invocation): Promise<number> {
  const { output } = invocation;
  return withSystem(invocation, {}, async (system) => {
    const checks = await system.doctor();
    output.result(checks, () => checks.map((check) => showCheck(check, output.paint)).join('\n'));
    return checks.some(({ status }) => status === 'failed') ? 1 : 0;
  });
}

const indent = ' '.repeat('warning  '.length);

function showCheck({ name, status, message, fix, details = [] }: Check, paint: Paint): string {
  const painted = { ok: paint.green, warning: paint.yellow, failed: paint.red }[status](
    status.padEnd('warning'.length),
  );
  const line = `${painted}  ${name}: ${message}`;
  return [line, ...(fix === undefined ? [] : [`${indent}${fix}`]), ...showDetails(details)].join(
    '\n',
  );
}

/** A table of who holds what; below it how to have more held, each way once. */
function showDetails(details: readonly CheckDetail[]): string[] {
  if (details.length === 0) return [];
  const rows = details.map(({ name, holder, message }) => [name, holder, message]);
  const fixes = details.flatMap(({ fix }) => (fix === undefined ? [] : [`fix: ${fix}`]));
  return [...formatColumns(rows).split('\n'), ...new Set(fixes)].map((row) => indent + row);
}
