import type { AccessExplanation, ApiKey } from '../../contract/access/index.ts';
import { localCaller } from '../../contract/caller/index.ts';
import { withSystem, type Invocation } from '../invocation.ts';
import { formatColumns, timeShower } from '../output.ts';
import { actionsOf } from '../run-action.ts';
import { keyState } from './keys.ts';

export const run = actionsOf('access', {
  list: { run: listCallers, takes: [], options: [] },
  explain: { run: explainAccess, takes: ['CALLER', 'TOOL'], options: [] },
});

interface CallerAccess {
  readonly caller: string;
  readonly keys: readonly Pick<ApiKey, 'id' | 'name' | 'role' | 'scopes'>[];
}

function listCallers(invocation: Invocation): Promise<number> {
  return withSystem(invocation, {}, async ({ keys }) => {
    const all = await keys.list(localCaller);
    const byCaller = Map.groupBy(all, ({ callerId }) => callerId);
    const callers: CallerAccess[] = [...byCaller].map(([caller, own]) => ({ caller, keys: own }));
    const showTime = timeShower(invocation.io);
    const local = ['local', '', '', 'everything', 'the user at this machine'];
    invocation.output.result([{ caller: 'local', keys: [] }, ...callers], () =>
      formatColumns([
        local,
        ...all.map((key) => [
          key.callerId,
          key.name,
          key.role,
          key.scopes === null ? 'all tools' : key.scopes.join(' '),
          keyState(key, showTime),
        ]),
      ]),
    );
    return 0;
  });
}

const refusedExitCode = 3;

/** Nothing is called: the rule is looked up where calls are decided. */
function explainAccess(
  invocation: Invocation,
  [caller = '', tool = '']: readonly string[],
): Promise<number> {
  return withSystem(invocation, {}, async ({ policy }) => {
    const found = await policy.explain(localCaller, caller, tool);
    invocation.output.result(found, () => found.map(line).join('\n'));
    return found.some(({ isAllowed }) => isAllowed) ? 0 : refusedExitCode;
  });
}

function line({ callerId, credential, tool, isAllowed, rule }: AccessExplanation): string {
  const who = credential === null ? callerId : `${callerId} (${credential})`;
  return `${who} ${isAllowed ? 'may' : 'may not'} call ${tool}: ${rule}`;
}
