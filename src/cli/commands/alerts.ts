import { UnknownNameError, UsageError } from '../errors.ts';
import { type Invocation, textOption, withSystem } from '../invocation.ts';
import { durationMs, formatColumns, timeShower } from '../output.ts';
import { type Action, runAction } from '../run-action.ts';
import type { System } from '../../compose/index.ts';

const actions: Readonly<Record<string, Action>> = Object.assign(Object.create(null), {
  list: { run: list, takes: [], options: [] },
  test: { run: test, takes: ['webhook?'], options: [] },
  silence: { run: silence, takes: ['alert'], options: ['for'] },
} satisfies Record<string, Action>);

export function run(invocation: Invocation): Promise<number> {
  return runAction(invocation, 'alerts', actions);
}

async function list(invocation: Invocation): Promise<number> {
  return withSystem(invocation, {}, async ({ alerts }) => {
    const states = await alerts.list();
    invocation.output.result(states, () => table(states, timeShower(invocation.io)));
    return 0;
  });
}

function table(
  states: Awaited<ReturnType<System['alerts']['list']>>,
  show: (iso: string) => string,
): string {
  const at = (ms: number): string => show(new Date(ms).toISOString());
  return formatColumns(
    states.map(({ name, severity, summary, firingSinceMs, firingOn, silencedUntilMs }) => [
      firingSinceMs === null ? 'ok' : `FIRING since ${at(firingSinceMs)} on ${firingOn.join(', ')}`,
      name,
      severity,
      silencedUntilMs === null ? summary : `${summary} (silenced until ${at(silencedUntilMs)})`,
    ]),
  );
}

async function test(invocation: Invocation, [name]: readonly string[]): Promise<number> {
  return withSystem(invocation, {}, async ({ alerts }) => {
    const results = await alerts.test(name);
    if (results.length === 0) {
      throw new UsageError(
        name === undefined
          ? 'No webhook is configured: add one to alerts.webhooks in your config.yaml'
          : `There is no webhook "${name}" in alerts.webhooks`,
      );
    }
    invocation.output.result(results, () =>
      formatColumns(results.map(({ webhook, problem }) => [webhook, problem ?? 'sent'])),
    );
    return results.every(({ problem }) => problem === null) ? 0 : 1;
  });
}

async function silence(invocation: Invocation, [alert = '']: readonly string[]): Promise<number> {
  const untilMs = Date.now() + durationMs('for', textOption(invocation, 'for') ?? '1h');
  return withSystem(invocation, {}, async ({ alerts }) => {
    if (!alerts.names.includes(alert)) throw new UnknownNameError('alert', alert, alerts.names);
    await alerts.silence(alert, untilMs);
    const until = new Date(untilMs).toISOString();
    invocation.output.result({ alert, until }, () => `${alert} is silenced until ${until}.`);
    return 0;
  });
}
