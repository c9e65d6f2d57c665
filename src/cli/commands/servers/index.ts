import { lookupTable } from '../../../kernel/index.ts';
import { runAction, type Action } from '../../run-action.ts';
import type { Invocation } from '../../invocation.ts';
import { acceptTools } from './accept-tools.ts';
import { addServer, changeServer } from './change-server.ts';
import { listServers } from './list-servers.ts';
import { restartServer } from './restart-server.ts';
import { showLogs } from './show-logs.ts';

const entryOptions = [
  'url',
  'type',
  'header',
  'env',
  'cwd',
  'prefix',
  'timeoutMs',
  'trustAnnotations',
];

const actions: Readonly<Record<string, Action>> = lookupTable({
  list: { run: listServers, takes: [], options: [] },
  add: {
    run: named(addServer),
    takes: ['NAME', 'COMMAND…?'],
    options: ['project', ...entryOptions],
  },
  remove: { run: named(changeServer('remove')), takes: ['NAME'], options: ['project'] },
  enable: { run: named(changeServer('enable')), takes: ['NAME'], options: ['project'] },
  disable: { run: named(changeServer('disable')), takes: ['NAME'], options: ['project'] },
  accept: { run: named(acceptTools), takes: ['NAME'], options: [] },
  logs: { run: named(showLogs), takes: ['NAME'], options: ['limit'] },
  restart: { run: named(restartServer), takes: ['NAME'], options: [] },
});

export function run(invocation: Invocation): Promise<number> {
  return runAction(invocation, 'servers', actions);
}

function named(act: (invocation: Invocation, name: string) => Promise<number>): Action['run'] {
  return (invocation, [name = '']) => act(invocation, name);
}
