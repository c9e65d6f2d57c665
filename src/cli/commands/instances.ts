import { localCaller } from '../../contract/caller/index.ts';
import type { Instance } from '../../contract/instance/index.ts';
import { lookupTable, pluralize } from '../../kernel/index.ts';
import { withSystem, type Invocation } from '../invocation.ts';
import { formatColumns, timeShower, type ShowTime } from '../output.ts';
import { runAction, type Action } from '../run-action.ts';

const actions: Readonly<Record<string, Action>> = lookupTable({
  list: { run: listInstances, takes: [], options: [] },
  drain: { run: drainInstance, takes: ['ID'], options: [] },
});

export function run(invocation: Invocation): Promise<number> {
  return runAction(invocation, 'instances', actions);
}

function listInstances(invocation: Invocation): Promise<number> {
  return withSystem(invocation, {}, async ({ instances }) => {
    const all = await instances.list();
    invocation.output.result(all, () =>
      all.length === 0
        ? 'No instance is running: "tutti serve" starts one'
        : formatColumns(all.map((instance) => row(instance, timeShower(invocation.io)))),
    );
    return 0;
  });
}

function row(instance: Instance, showTime: ShowTime): readonly string[] {
  const { id, state, host, version, address, startedAt, lastBeatAt } = instance;
  return [
    id,
    state === 'gone' ? `gone since ${showTime(lastBeatAt)}` : state,
    host,
    address,
    version,
    `up since ${showTime(startedAt)}`,
    pluralize(instance.servers, 'server'),
    pluralize(instance.calls, 'call'),
    pluralize(instance.runs, 'run'),
  ];
}

function drainInstance(invocation: Invocation, [id = '']: readonly string[]): Promise<number> {
  return withSystem(invocation, {}, async ({ instances }) => {
    const instance = await instances.drain(localCaller, id);
    invocation.output.result(
      instance,
      () => `Instance ${instance.id} takes no new calls, finishes what it has and ends`,
    );
    return 0;
  });
}
