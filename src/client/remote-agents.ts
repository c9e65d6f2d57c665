import type { Agents } from '../contract/agents/index.ts';
import type { Connection } from './connection.ts';
import { notRemote, refuse } from './remote-rooms.ts';

/** The agents of a server. Files, plans and comparisons of them belong to its machine. */
export function remoteAgents(connection: Connection): Agents {
  const at = (name: string): { readonly path: { readonly name: string } } => ({ path: { name } });
  return notRemote<Agents>('This action of agents', {
    list: async () => connection.call('getAgents', {}) as never,
    show: async (_caller, name, version) => {
      if (version !== undefined) refuse('Showing one version of an agent')();
      return connection.call('getAgentsByName', at(name)) as never;
    },
    setEnabled: async (_caller, name, { isEnabled, version }) => {
      const body = { enabled: isEnabled, ...(version !== undefined && { version }) };
      await connection.call('postAgentsByNameEnable', { ...at(name), body });
    },
    wouldChoose: async (_caller, { capability = '', task }) =>
      (await connection.call('postAgentsChoose', { body: { capability, task } })).choice as never,
    why: async (_caller, id) =>
      (await connection.call('getRunsByIdWhy', { path: { id } })).decisions as never,
    versions: notRemote<Agents['versions']>('Comparing versions of agents', {}),
  });
}
