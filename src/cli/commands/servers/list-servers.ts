import { shortListAbove } from '../../../contract/catalogue/index.ts';
import type { ServerState, ServerStatus } from '../../../contract/fleet/index.ts';
import { counted } from '../../../kernel/index.ts';
import { withSystem, type Invocation } from '../../invocation.ts';
import { firstSentence, formatColumns, type Paint } from '../../output.ts';
import { describeChange } from './accept-tools.ts';

/** Servers that need longer are shown as they are then. */
const startLimitMs = 60_000;
const maxReason = 200;
const maxNamedChanges = 3;

export async function listServers(invocation: Invocation): Promise<number> {
  const { options, output } = invocation;
  return withSystem(invocation, {}, async ({ fleet }) => {
    if (options['start'] !== false) {
      const waiting = async (): Promise<string> => {
        const late = (await fleet.status()).filter(({ state }) => state === 'starting');
        return `Waiting for servers to start: ${late.map(({ name }) => name).join(', ')}`;
      };
      await output.during(waiting, fleet.startAll(startLimitMs));
    }
    const servers = await fleet.status();
    output.result(servers, () => table(servers, output.paint));
    const count = servers.reduce((sum, { tools }) => sum + tools, 0);
    if (count > shortListAbove) output.note(shortListText(count));
    for (const collision of fleet.collisions()) output.note(`note: ${collision}`);
    return 0;
  });
}

function shortListText(count: number): string {
  return `${count} tools: above ${shortListAbove}, clients of "tutti mcp" get a short list that finds and calls the others, "agent__ask" among them; "tutti mcp --all" or the setting server.compact changes that`;
}

const advice: Partial<Record<ServerState, string>> = {
  untrusted: 'look at it and allow it with "tutti trust"',
  disabled: 'use it again with "tutti servers enable"',
};

function table(servers: readonly ServerStatus[], paint: Paint): string {
  if (servers.length === 0) return 'There are no servers.';
  const rows = servers.map((server) => {
    const { name, state, transport, tools, restarts, pid, lastError } = server;
    const reason = advice[state] ?? (state === 'ready' ? '' : (lastError ?? ''));
    return [
      name,
      state,
      transport,
      counted(tools, 'tool'),
      pid === null ? '' : `pid ${pid}`,
      restarts === 0 ? '' : counted(restarts, 'restart'),
      firstSentence(
        [reason, ...server.problems, changeText(server)].filter(Boolean).join('; '),
        maxReason,
      ),
    ];
  });
  return formatColumns(rows)
    .split('\n')
    .map((line, index) => painterOf(servers[index]?.state, paint)(line))
    .join('\n');
}

/** Tools that a server made others of; the first ones by name. */
function changeText({ name, changedTools }: ServerStatus): string {
  if (changedTools.length === 0) return '';
  const named = changedTools
    .toSorted((a, b) => Number(b.isLessCareful) - Number(a.isLessCareful))
    .slice(0, maxNamedChanges)
    .map(describeChange);
  const more = changedTools.length > maxNamedChanges ? [', …'] : [];
  return `${counted(changedTools.length, 'tool')} changed: ${[named.join(', '), ...more].join('')}: "tutti servers accept ${name}"`;
}

function painterOf(state: ServerState | undefined, paint: Paint): (line: string) => string {
  if (state === 'failed' || state === 'crash-looping') return paint.red;
  if (state === 'untrusted' || state === 'restarting') return paint.yellow;
  return state === 'disabled' ? paint.dim : (line) => line;
}
