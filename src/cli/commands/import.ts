import { resolve } from 'node:path';
import { askYes } from '../ask-line.ts';
import { UnknownNameError } from '../errors.ts';
import { type Invocation, openFiles, textOption } from '../invocation.ts';
import { formatColumns } from '../output.ts';
import {
  type ClientName,
  clientTitles,
  type ImportPlan,
  type ServerFiles,
} from '../../contract/server-files/index.ts';

const exitNeedsAnswer = 4;

export async function run(invocation: Invocation): Promise<number> {
  const { io, output, operands, options } = invocation;
  const client = operands[0] === undefined ? undefined : clientOf(operands[0]);
  const from = textOption(invocation, 'from');
  const file = from === undefined ? undefined : resolve(io.cwd, from);
  const files = await openFiles(invocation);
  const plan = await files.planImport({
    client,
    file,
    withProject: options['project'] === true,
  });
  const isAgreed = options['yes'] === true ? true : await agree(invocation, files, plan);
  const isWritten = isAgreed === true && plan.added.length > 0;
  if (isWritten) await importServers(files, plan);
  output.result({ file: files.userFile, isWritten, ...withoutEntries(plan) }, () =>
    isAgreed === undefined || options['yes'] === true
      ? `${showPlan(plan)}\n\n${outcome(files, plan, isWritten)}`
      : outcome(files, plan, isWritten),
  );
  return plan.added.length > 0 && isAgreed === undefined ? exitNeedsAnswer : 0;
}

/** Adds what the plan says to the user's own file. */
export async function importServers(files: ServerFiles, plan: ImportPlan): Promise<void> {
  await files.edit(
    'user',
    plan.added.map(({ name, entry }) => ({ kind: 'add', name, entry })),
  );
}

/** The plan as it may be shown: entries may hold secrets. */
export function withoutEntries(plan: ImportPlan): object {
  const added = plan.added.map(({ entry: _entry, ...shown }) => shown);
  return { ...plan, added };
}

/** What would be added, what is there already, and what cannot be used and why. */
export function showPlan({ files, added, duplicates, unusable }: ImportPlan): string {
  if (files.length === 0 && unusable.length === 0) {
    return 'No configuration of another MCP client was found.';
  }
  const rows = [
    ...added.map(({ name, target, ...found }) => ['add', name, titleOf(found), target]),
    ...duplicates.map(({ name, ...found }) => ['have', name, titleOf(found), 'is there already']),
    ...unusable.map(({ name, reason, ...found }) => ['skip', name, titleOf(found), reason]),
  ];
  if (rows.length === 0) return 'The configurations of other MCP clients name no servers.';
  const notes = added.flatMap(({ name, notes }) => notes.map((note) => `${name}: ${note}`));
  return [formatColumns(rows), ...notes].join('\n');
}

async function agree(
  { io, output }: Invocation,
  files: ServerFiles,
  plan: ImportPlan,
): Promise<boolean | undefined> {
  if (plan.added.length === 0 || output.isJson) return undefined;
  const question = `Add ${plan.added.length} to ${files.userFile}?`;
  return askYes(io, `${showPlan(plan)}\n\n${question}`);
}

function outcome(files: ServerFiles, { added }: ImportPlan, isWritten: boolean): string {
  if (isWritten) return `${added.length} added to ${files.userFile}.`;
  return added.length === 0
    ? 'There is nothing to add.'
    : 'Nothing was written. Say --yes to add what is listed.';
}

function titleOf({ client, file }: { client: ClientName | 'file'; file: string }): string {
  return client === 'file' ? file : clientTitles[client];
}

/** The client of that name; throws with the nearest one when there is none. */
export function clientOf(name: string): ClientName {
  const names = Object.keys(clientTitles);
  const known: Readonly<Record<string, string>> = clientTitles;
  if (!Object.hasOwn(known, name)) throw new UnknownNameError('client', name, names);
  // Just proven to be a key of the table.
  return name as ClientName;
}
