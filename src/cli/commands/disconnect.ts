import type {
  ClientConnections,
  ConnectionChange,
  ConnectionTarget,
} from '../../contract/client-connection/index.ts';
import { clientTitles, type ClientName } from '../../contract/server-files/index.ts';
import { UsageError } from '../errors.ts';
import type { Invocation } from '../invocation.ts';
import { agree, diffOf, isNeeded, openConnections, scopeOption, shown } from './connect.ts';
import { clientOf } from './import.ts';

const exitNeedsAnswer = 4;

export async function run(invocation: Invocation): Promise<number> {
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
