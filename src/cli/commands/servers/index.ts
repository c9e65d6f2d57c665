import { UnknownNameError, UsageError } from '../../errors.ts';
import type { Invocation } from '../../invocation.ts';
import { addServer, changeServer } from './change-server.ts';
import { listServers } from './list-servers.ts';
import { restartServer } from './restart-server.ts';
import { showLogs } from './show-logs.ts';

/** An action of `tutti servers` with what it takes beside its name. */
interface Action {
  readonly run: (invocation: Invocation, name: string) => Promise<number>;
  readonly takes: 'nothing' | 'name' | 'name and command';
  readonly options: readonly string[];
}

const entryOptions = ['url', 'type', 'header', 'env', 'cwd', 'prefix', 'timeoutMs'];

const actions: Readonly<Record<string, Action>> = {
  list: { run: listServers, takes: 'nothing', options: ['start'] },
  add: { run: addServer, takes: 'name and command', options: ['project', ...entryOptions] },
  remove: { run: changeServer('remove'), takes: 'name', options: ['project'] },
  enable: { run: changeServer('enable'), takes: 'name', options: ['project'] },
  disable: { run: changeServer('disable'), takes: 'name', options: ['project'] },
  logs: { run: showLogs, takes: 'name', options: ['limit'] },
  restart: { run: restartServer, takes: 'name', options: [] },
};

/** Options that only some actions take. */
const ownOptions = ['project', 'limit', ...entryOptions];

export async function run(invocation: Invocation): Promise<number> {
  const [word = 'list', name = '', ...rest] = invocation.operands;
  const action = Object.hasOwn(actions, word) ? actions[word] : undefined;
  if (!action) throw new UnknownNameError('action', word, Object.keys(actions));
  if (action.takes === 'nothing' && name !== '') {
    throw new UsageError(`"servers ${word}" takes no name, and got "${name}"`);
  }
  if (action.takes !== 'nothing' && name === '') {
    throw new UsageError(`"servers ${word}" needs the name of a server`);
  }
  if (action.takes === 'name' && rest.length > 0) {
    throw new UsageError(`"servers ${word}" takes one name, and got "${rest.join(' ')}" too`);
  }
  const stray = ownOptions.find(
    (option) => invocation.options[option] !== undefined && !action.options.includes(option),
  );
  if (stray !== undefined) throw new UsageError(`"servers ${word}" does not take --${stray}`);
  return action.run(invocation, name);
}
