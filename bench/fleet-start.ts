import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listTools, type ListOptions } from './list-tools.ts';
import { compare, type Comparison } from './measure.ts';
import { emptyNode } from './start-up.ts';

const servers = 20;
const rounds = 21;
/** Starting twenty programs takes its time; nothing is promised about it. */
const coldRounds = 3;
const fixture = new URL('../testkit/fleet/fixture-server.ts', import.meta.url).pathname;
/** Until what was listed is kept. */
const stayMs = 2_000;

/**
 * From spawn to the answer of `tools/list`, with twenty configured servers that none of the starts has to
 * start: as they were listed last time; the same right after a change of the settings; nothing known.
 */
export async function measureFleetStart(): Promise<Comparison[]> {
  const folder = mkdtempSync(join(tmpdir(), 'tutti-fleet-'));
  const home = join(folder, 'data');
  const fleet = { args: ['mcp', '--all'], cwd: folder, env: { HOME: folder, TUTTI_HOME: home } };
  const forget = (part: string): void => rmSync(join(home, part), { recursive: true, force: true });
  try {
    writeSettings(folder);
    const known = await listUntilKept({ ...fleet, stayMs });
    const list = async (): Promise<void> => {
      if ((await listTools(fleet)) !== known) throw new Error('the list changed between starts');
    };
    const kept = await compare(list, emptyNode, rounds);
    const changed = await compare(
      async () => {
        forget('first-answers');
        await list();
      },
      emptyNode,
      rounds,
    );
    const cold = await compare(
      async () => {
        forget('first-answers');
        forget('catalogue');
        await list();
      },
      emptyNode,
      coldRounds,
    );
    const row = (what: string, limit: number, [ours, base]: [number, number]): Comparison => ({
      name: `tutti mcp, ${servers} servers, ${what}`,
      floor: 'node -e 0',
      limit,
      unit: 'ms',
      ours,
      base,
    });
    return [
      row('all as before', 2.5, kept),
      row('settings changed', Infinity, changed),
      row('nothing known', Infinity, cold),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The first start learns what the servers offer, the second one keeps what it answers. */
async function listUntilKept(options: ListOptions): Promise<string> {
  await listTools(options);
  return listTools(options);
}

function writeSettings(folder: string): void {
  const mcpServers = Object.fromEntries(
    Array.from({ length: servers }, (_, number) => [
      `server-${number}`,
      { command: process.execPath, args: [fixture], env: { NUMBER: String(number) } },
    ]),
  );
  mkdirSync(join(folder, '.config', 'tutti'), { recursive: true });
  writeFileSync(join(folder, '.config', 'tutti', 'config.yaml'), JSON.stringify({ mcpServers }));
}
