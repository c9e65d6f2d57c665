import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

/**
 * Who may import whom. `everyone` rooms may be imported by all; a door is the only file of a room
 * that others import (`index.ts` of the room, or of the named subfolder).
 */
interface Room {
  readonly mayImport: readonly string[];
  /** Subfolders with a door of their own instead of one door for the room. */
  readonly doorsPerFolder?: boolean;
  /** Rooms whose types this room may import, never their code. */
  readonly typesOnly?: readonly string[];
}

const everyone = ['contract', 'kernel'];
const middle = [
  'fleet',
  'toolbox',
  'sandbox',
  'workflow',
  'artifacts',
  'models',
  'agent',
  'agents',
  'memory',
  'observe',
  'access',
];

const rooms: Readonly<Record<string, Room>> = {
  contract: { mayImport: [], doorsPerFolder: true },
  kernel: { mayImport: [] },
  config: { mayImport: [] },
  protocol: { mayImport: [] },
  fleet: { mayImport: ['protocol'] },
  toolbox: { mayImport: [], doorsPerFolder: true },
  sandbox: { mayImport: [], doorsPerFolder: true },
  workflow: { mayImport: [], doorsPerFolder: true },
  artifacts: { mayImport: [] },
  models: { mayImport: [] },
  agent: { mayImport: [], doorsPerFolder: true },
  agents: { mayImport: [] },
  memory: { mayImport: [] },
  observe: { mayImport: [] },
  store: { mayImport: [], typesOnly: middle },
  http: { mayImport: [] },
  access: { mayImport: [], typesOnly: ['http'] },
  gateway: { mayImport: ['protocol', 'http', ...middle] },
  api: { mayImport: ['http', ...middle] },
  client: { mayImport: [] },
  cli: { mayImport: ['compose'] },
  compose: {
    mayImport: ['config', 'protocol', 'store', 'http', 'gateway', 'api', 'client', ...middle],
  },
};

/** Rooms that hold code today. */
const builtRooms = readdirSync('src', { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name)
  .sort();

interface Budget {
  lines: number;
  files: number;
}

const maxSmallLines = 40;
const maxSmallFiles = 60;

interface Import {
  readonly from: string;
  readonly to: string;
  readonly isTypeOnly: boolean;
}

/** The rules an import breaks, as sentences; empty when it is allowed. */
function violationsOf({ from, to, isTypeOnly }: Import): string[] {
  const fromRoom = from.split('/')[0] ?? '';
  const toRoom = to.split('/')[0] ?? '';
  const source = rooms[fromRoom];
  const target = rooms[toRoom];
  if (!source || !target) return [`${from}: imports ${to}, and one of the two is in no room`];
  if (fromRoom === toRoom) return [];
  const problems: string[] = [];
  const isAllowed =
    everyone.includes(toRoom) ||
    source.mayImport.includes(toRoom) ||
    (isTypeOnly && source.typesOnly?.includes(toRoom));
  if (!isAllowed) problems.push(`${from}: ${fromRoom} must not import ${toRoom} (${to})`);
  const door = target.doorsPerFolder ? /^[^/]+(\/[^/]+)?\/index\.ts$/ : /^[^/]+\/index\.ts$/;
  if (!door.test(to)) problems.push(`${from}: enters ${toRoom} past its door (${to})`);
  return problems;
}

function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !/\.(test|suite)\.ts$/.test(path));
}

function importsOf(file: string, text: string): Import[] {
  const pattern =
    /(?:^|\n)\s*(import|export)(\s+type)?\b[^'";]*?from\s*'(\.[^']+)'|import\(\s*'(\.[^']+)'\s*\)/g;
  return [...text.matchAll(pattern)].map((match) => ({
    from: relative('src', file),
    to: relative('src', join(dirname(file), match[3] ?? match[4] ?? '')),
    isTypeOnly: match[2] !== undefined,
  }));
}

describe('the house', () => {
  const files = sourceFiles('src');

  it('has just the rooms of the table, each with its README', () => {
    for (const room of builtRooms) {
      expect(rooms, room).toHaveProperty(room);
      expect(readFileSync(`src/${room}/README.md`, 'utf8').split('\n').length).toBeLessThan(80);
    }
  });

  it('lets no room import what the table does not allow, or past a door', () => {
    const imports = files.flatMap((file) => importsOf(file, readFileSync(file, 'utf8')));
    expect(imports.length).toBeGreaterThan(100);
    expect(imports.flatMap(violationsOf)).toEqual([]);
  });

  it('keeps every compose file under 150 lines and every other one, but for tables, under 400', () => {
    const tooLong = files.filter((file) => {
      if (/-(rules|patterns)\.ts$/.test(file)) return false;
      const lines = readFileSync(file, 'utf8').split('\n').length;
      return lines > (file.startsWith('src/compose/') ? 150 : 400);
    });
    expect(tooLong).toEqual([]);
  });

  it('keeps the planner within 1,800 lines: a new rule replaces others', () => {
    const planner = files.filter((file) => file.startsWith('src/agent/planner/'));
    const lines = planner.map((file) => readFileSync(file, 'utf8').split('\n').length - 1);
    expect(planner.length).toBeGreaterThan(5);
    expect(lines.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(1_800);
  });

  it('has no prototype in tables that are looked up by name', () => {
    const plainTable =
      /^[ \t]*(?:export )?const \w+: Readonly<(?:Partial<)?Record<string, [^=]*= \{(?!\s*(?:\}|\.\.\.))/m;
    // Under rewriting.
    const others = files.filter((file) => !file.startsWith('src/agent/planner/'));
    expect(others.filter((file) => plainTable.test(readFileSync(file, 'utf8')))).toEqual([]);
    expect('const words: Readonly<Record<string, number>> = { a: 1 };').toMatch(plainTable);
  });

  it('keeps every room within its budget of lines and files', () => {
    const budgets: Readonly<Record<string, Budget>> = JSON.parse(
      readFileSync('test/data/room-budgets.json', 'utf8'),
    );
    const counts: Record<string, Budget> = Object.fromEntries(
      builtRooms.map((room) => [room, { lines: 0, files: 0 }]),
    );
    for (const file of files) {
      const count = counts[relative('src', file).split('/')[0] ?? ''];
      if (!count) continue;
      count.lines += readFileSync(file, 'utf8').split('\n').length - 1;
      count.files += 1;
    }
    const over = builtRooms.filter((room) => {
      const [count, budget] = [counts[room], budgets[room]];
      return !count || !budget || count.lines > budget.lines || count.files > budget.files;
    });
    expect(over.map((room) => [room, counts[room], budgets[room]])).toEqual([]);
  });

  it('has few small files that only one other file imports', () => {
    const importers = new Map<string, Set<string>>();
    for (const file of files) {
      for (const { to } of importsOf(file, readFileSync(file, 'utf8'))) {
        importers.set(to, (importers.get(to) ?? new Set()).add(file));
      }
    }
    const small = files.filter((file) => {
      const isSmall = readFileSync(file, 'utf8').split('\n').length <= maxSmallLines;
      return isSmall && importers.get(relative('src', file))?.size === 1;
    });
    expect(small.length).toBeLessThanOrEqual(maxSmallFiles);
  });

  it('keeps testkit independent of the tests that use it', () => {
    const imports = sourceFiles('testkit').flatMap((file) =>
      importsOf(file, readFileSync(file, 'utf8')),
    );
    expect(imports.length).toBeGreaterThan(100);
    expect(imports.filter(({ to }) => /^\.\.\/(?:test|bench)\/|\.test\.ts$/.test(to))).toEqual([]);
  });

  it.each([
    ['test support in the product', 'fleet/a.ts', "import { x } from '../../testkit/fleet/a.ts';"],
    [
      'a middle room that imports its sibling',
      'fleet/a.ts',
      "import { x } from '../toolbox/code/index.ts';",
    ],
    ['a deep import', 'fleet/a.ts', "import { x } from '../protocol/names.ts';"],
    ['a face that imports another face', 'cli/a.ts', "import { x } from '../gateway/index.ts';"],
    ['code of a middle room in store', 'store/a.ts', "import { x } from '../observe/index.ts';"],
    ['a folder that is in no room', 'kernel/a.ts', "import { x } from '../misc/index.ts';"],
    ['a dynamic import', 'cli/a.ts', "await import('../config/index.ts');"],
  ])('notices %s', (_what, from, text) => {
    expect(importsOf(`src/${from}`, text).flatMap(violationsOf)).not.toEqual([]);
  });

  it('lets store implement the ports of the middle rooms', () => {
    const text = "import type { TraceStore } from '../observe/index.ts';";
    expect(importsOf('src/store/a.ts', text).flatMap(violationsOf)).toEqual([]);
  });
});
