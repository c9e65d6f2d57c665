import type { ClientStatus, ConnectionScope } from '../../../contract/client-connection/index.ts';
import { clientTitles, type ClientName } from '../../../contract/server-files/index.ts';
import type { Surroundings } from '../../locate.ts';
import { isRecord } from '../../transform-value.ts';
import { isTutti } from '../convert-server.ts';
import { clientTarget, isClientFound } from './client-target.ts';
import { entryIn } from './connect-client.ts';
import { jsonFormat } from './json-format.ts';
import { readSettingsText } from './settings-text.ts';
import { tomlFormat } from './toml-format.ts';

const scopes: readonly ConnectionScope[] = ['user', 'project'];

/** Every client we know: whether it is installed here, and which of its files have an entry of Tutti. */
export async function listClients(around: Surroundings): Promise<readonly ClientStatus[]> {
  // The keys of the table are the names.
  const clients = Object.keys(clientTitles) as ClientName[];
  return Promise.all(clients.map((client) => statusOf(client, around)));
}

async function statusOf(client: ClientName, around: Surroundings): Promise<ClientStatus> {
  const connected: { scope: ConnectionScope; file: string }[] = [];
  let problem: string | undefined;
  for (const scope of scopes) {
    const target = clientTarget(client, scope, around);
    if (target === undefined) continue;
    try {
      const text = await readSettingsText(target.file);
      const format = target.format === 'toml' ? tomlFormat : jsonFormat;
      const entry = text === undefined ? undefined : entryIn(format.parse(text), target.section);
      if (isRecord(entry) && isTutti(entry)) connected.push({ scope, file: target.file });
    } catch (error) {
      problem ??= `${target.file}: ${error instanceof Error ? error.message : String(error)}`;
    }
  }
  const isFound = isClientFound(client, around);
  return { client, isFound, connected, ...(problem !== undefined && { problem }) };
}
