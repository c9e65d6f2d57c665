import { lookupTable, pluralize } from '../../kernel/index.ts';
import { UsageError } from '../errors.ts';
import type { Invocation } from '../invocation.ts';
import { formatColumns } from '../output.ts';
import { runAction, type Action } from '../run-action.ts';

const actions: Readonly<Record<string, Action>> = lookupTable({
  move: { run: move, takes: ['server|file'], options: [] },
});

export function run(invocation: Invocation): Promise<number> {
  return runAction(invocation, 'store', actions);
}

async function move(invocation: Invocation, [to]: readonly string[]): Promise<number> {
  const { io, output, flags } = invocation;
  if (to !== 'server' && to !== 'file') {
    throw new UsageError(`"store move" wants server or file, and got "${to ?? ''}"`);
  }
  const { moveStoreHere } = await io.compose();
  const moving = moveStoreHere({ flags, env: io.env, cwd: io.cwd }, to);
  const report = await output.during('Copying and comparing every row', moving);
  const rows = report.tables.reduce((sum, table) => sum + table.rows, 0);
  const filled = report.tables.filter((table) => table.rows > 0);
  output.result(report, () =>
    [
      formatColumns(filled.map((table) => [table.table, String(table.rows)])),
      `Copied ${pluralize(rows, 'row')} from ${report.from} to ${report.to}; every table has the same rows in both.`,
      `${report.from} was left as it is.`,
    ].join('\n'),
  );
  return 0;
}
