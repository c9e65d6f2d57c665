import type {
  ClientConnections,
  ClientStatus,
  ConnectionChange,
  ConnectionScope,
  ConnectionTarget,
  EntryCheck,
} from '../../contract/client-connection/index.ts';
import { type ClientName, clientTitles } from '../../contract/server-files/index.ts';
import { pluralize } from '../../kernel/index.ts';
import { askYes } from '../ask-line.ts';
import { UsageError } from '../errors.ts';
import { type Invocation, textOption } from '../invocation.ts';
import { cutText, formatColumns } from '../output.ts';
import { clientOf } from './import.ts';

const exitNeedsAnswer = 4;
/** Settings of some clients are one long line. */
const maxLineChars = 160;

export async function connect(invocation: Invocation): Promise<number> {
  const { operands, options, output } = invocation;
  const connections = await openConnections(invocation);
  if (operands[0] === undefined) return showClients(invocation, connections);
  const client = clientOf(operands[0]);
  const scope = scopeOption(invocation) ?? 'user';
  const change = await connections.planConnect({ client, scope }, options['clientRoots'] === true);
  const isAgreed = await agree(invocation, change);
  if (isAgreed === true && isNeeded(change)) await connections.apply(change);
  const isConnected = isAgreed === true || !isNeeded(change);
  const check = isConnected ? await connections.check(change.entry) : undefined;
  output.result(
    { ...shown(change, isAgreed === true), entry: change.entry, diff: await diffOf(change), check },
    () => [connectedText(change, isConnected), checkText(change, check)].filter(Boolean).join('\n'),
  );
  if (check?.kind === 'failed') return 1;
  return isAgreed === undefined && isNeeded(change) ? exitNeedsAnswer : 0;
}

export async function openConnections({ io, flags }: Invocation): Promise<ClientConnections> {
  const { openClientConnections } = await io.compose();
  return openClientConnections({ flags, env: io.env, cwd: io.cwd });
}

export function scopeOption(invocation: Invocation): ConnectionScope | undefined {
  const scope = textOption(invocation, 'scope');
  if (scope === undefined || scope === 'user' || scope === 'project') return scope;
  throw new UsageError(`--scope is "user" or "project", not "${scope}"`);
}

/** Shows the change and asks. Undefined when nothing was asked: `--print`, `--json`, or no terminal. */
export async function agree(
  { io, options, output }: Invocation,
  change: ConnectionChange,
): Promise<boolean | undefined> {
  if (!isNeeded(change)) return undefined;
  if (!output.isJson) {
    output.note(`${clientTitles[change.client]}: ${change.file}\n\n${await diffOf(change)}`);
    for (const note of change.notes) output.note(note);
  }
  if (options['print'] === true) return false;
  if (options['yes'] === true) return true;
  return output.isJson ? undefined : askYes(io, 'Write it?');
}

export function isNeeded({ before, after }: ConnectionChange): boolean {
  return before !== after;
}

export function shown(change: ConnectionChange, isWritten: boolean): object {
  const { client, scope, file, notes } = change;
  return { client, scope, file, isWritten: isWritten && isNeeded(change), notes };
}

/** The change as a unified diff; long lines are cut. */
export async function diffOf({ before = '', after = '' }: ConnectionChange): Promise<string> {
  const { structuredPatch } = await import('diff');
  const { hunks } = structuredPatch('', '', before, after, undefined, undefined, { context: 2 });
  return hunks
    .flatMap(({ lines }) => ['@@', ...lines])
    .map((line) => cutText(line, maxLineChars))
    .join('\n');
}

function connectedText(change: ConnectionChange, isConnected: boolean): string {
  const title = clientTitles[change.client];
  if (!isNeeded(change)) return `${title} is connected already: ${change.file}`;
  if (!isConnected) return 'Nothing was written. Use --yes to write it.';
  return `${title} is connected: ${change.file}. Restart it, or reload its MCP servers.`;
}

function checkText({ client }: ConnectionChange, check: EntryCheck | undefined): string {
  if (check === undefined) return '';
  if (check.kind === 'works') return `The entry works: ${pluralize(check.tools, 'tool')}.`;
  return `The entry does not start: ${check.reason}\nTake it out again: tutti disconnect ${client}`;
}

async function showClients(
  { output }: Invocation,
  connections: ClientConnections,
): Promise<number> {
  const clients = await connections.list();
  output.result(clients, () => describeClients(clients));
  return 0;
}

function describeClients(clients: readonly ClientStatus[]): string {
  const isHere = (status: ClientStatus): boolean => status.isFound || status.connected.length > 0;
  const rows = clients.filter(isHere).map((status) => {
    const { client, connected, problem } = status;
    const files = connected.map(({ file }) => file).join(', ');
    const state = files === '' ? (problem ?? 'not connected') : `connected in ${files}`;
    const verb = files === '' ? 'connect' : 'disconnect';
    return [clientTitles[client], `tutti ${verb} ${client}`, state];
  });
  const others = clients.filter((status) => !isHere(status)).map(({ client }) => client);
  return [
    rows.length === 0 ? 'No MCP client was found on this machine.' : formatColumns(rows),
    ...(others.length === 0 ? [] : [`\nNot found here: ${others.join(', ')}`]),
  ].join('\n');
}

export async function disconnect(invocation: Invocation): Promise<number> {
  const { operands, output } = invocation;
  if (operands[0] === undefined) {
    throw new UsageError('Say which client: "tutti connect" lists those that are connected');
  }
  const connections = await openConnections(invocation);
  const client = clientOf(operands[0]);
  const results: object[] = [];
  const lines: string[] = [];
  let isWaiting = false;
  for (const target of await targetsOf(invocation, client, connections)) {
    const change = await connections.planDisconnect(target);
    const isAgreed = await agree(invocation, change);
    if (isAgreed === true) await connections.apply(change);
    isWaiting ||= isAgreed === undefined && isNeeded(change);
    results.push({ ...shown(change, isAgreed === true), diff: await diffOf(change) });
    lines.push(outcome(change, isAgreed === true));
  }
  if (lines.length === 0) lines.push(`${clientTitles[client]} is not connected.`);
  output.result(results, () => lines.join('\n'));
  return isWaiting ? exitNeedsAnswer : 0;
}

/** Without `--scope`, every file of the client that has an entry. */
async function targetsOf(
  invocation: Invocation,
  client: ClientName,
  connections: ClientConnections,
): Promise<readonly ConnectionTarget[]> {
  const scope = scopeOption(invocation);
  if (scope !== undefined) return [{ client, scope }];
  const status = (await connections.list()).find((found) => found.client === client);
  return (status?.connected ?? []).map((found) => ({ client, scope: found.scope }));
}

function outcome(change: ConnectionChange, isWritten: boolean): string {
  const title = clientTitles[change.client];
  if (!isNeeded(change)) return `${title} is not connected: ${change.file}`;
  if (!isWritten) return 'Nothing was written. Use --yes to write it.';
  return change.after === undefined
    ? `${title} is disconnected: ${change.file} was removed, which connecting had created.`
    : `${title} is disconnected: the entry was taken out of ${change.file}.`;
}
