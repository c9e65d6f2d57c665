import type { Check, CheckDetail } from '../../contract/doctor/index.ts';
import { withSystem, type Invocation } from '../invocation.ts';
import { formatColumns, type Paint } from '../output.ts';

export async function run(invocation: Invocation): Promise<number> {
  const { output } = invocation;
  return withSystem(invocation, {}, async (system) => {
    const checks = await output.during('Running the checks', system.doctor());
    const view = { paint: output.paint, isVerbose: invocation.options['verbose'] === true };
    output.result(checks, () => checks.map((check) => showCheck(check, view)).join('\n'));
    return checks.some(({ status }) => status === 'failed') ? 1 : 0;
  });
}

const indent = ' '.repeat('warning  '.length);

interface View {
  readonly paint: Paint;
  /** Show what is in order in as much detail as what is not. */
  readonly isVerbose: boolean;
}

function showCheck(check: Check, { paint, isVerbose }: View): string {
  const { name, status, message, fix, details = [] } = check;
  const painters = { ok: paint.green, absent: paint.dim, warning: paint.yellow, failed: paint.red };
  const isFixShown =
    fix !== undefined && (isVerbose || status === 'warning' || status === 'failed');
  return [
    `${painters[status](status.padEnd('warning'.length))}  ${name}: ${message}`,
    ...(isFixShown ? [`${indent}${fix}`] : []),
    ...showDetails(
      details.filter((one) => isVerbose || one.holder === 'none' || one.fix !== undefined),
    ),
  ].join('\n');
}

/** A table of protections and their holders, and below it each fix once. */
function showDetails(details: readonly CheckDetail[]): string[] {
  if (details.length === 0) return [];
  const rows = details.map(({ name, holder, message }) => [name, holder, message]);
  const fixes = details.flatMap(({ fix }) => (fix === undefined ? [] : [`fix: ${fix}`]));
  return [...formatColumns(rows).split('\n'), ...new Set(fixes)].map((row) => indent + row);
}
