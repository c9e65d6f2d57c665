import type { Invocation } from '../../invocation.ts';
import { runAction, type Action } from '../../run-action.ts';
import { forkSession, removeSession, renameSession } from './change-session.ts';
import { exportSession, importSession } from './exchange-session.ts';
import { listSessions, showSession } from './show-sessions.ts';
import { lookupTable } from '../../../kernel/index.ts';

const actions: Readonly<Record<string, Action>> = lookupTable({
  list: { run: listSessions, takes: [], options: ['limit'] },
  show: { run: showSession, takes: ['SESSION'], options: [] },
  fork: { run: forkSession, takes: ['SESSION'], options: ['turn'] },
  export: { run: exportSession, takes: ['SESSION', 'FILE?'], options: ['force'] },
  import: { run: importSession, takes: ['FILE'], options: [] },
  rename: { run: renameSession, takes: ['SESSION', 'TITLE…'], options: [] },
  remove: { run: removeSession, takes: ['SESSION'], options: [] },
});

export function run(invocation: Invocation): Promise<number> {
  return runAction(invocation, 'sessions', actions);
}
