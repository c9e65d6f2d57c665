/** What was measured, as a table of all contenders and one of the goals. */
import type { Turn } from './turns.ts';

const peers = ['mcp-proxy', 'mcp-hub', 'supergateway', 'SDK-v2'];
const untracedLimit = 1.5;
const tracedLimit = 2;
const peerLimit = 3;

/** All turns of one contender in one cell. */
interface Result {
  readonly contender: string;
  readonly turns: readonly Turn[];
}
/** All contenders of one face, upstream, tool and concurrency. */
interface CellResults {
  readonly titles: readonly (string | number)[];
  readonly results: readonly Result[];
}

export function contendersTable(turns: readonly Turn[]): string {
  const header =
    'face | upstream | result | at once | contender | CPU µs/call | × floor | p50 ms | p99 ms | calls/s | errors';
  const rows = cellsOf(turns).flatMap((cell) =>
    cell.results.map((result) => {
      const of = (pick: (turn: Turn) => number): number => median(result.turns.map(pick));
      return [
        ...cell.titles,
        result.contender,
        of((turn) => turn.cpuUs).toFixed(0),
        shown(ratio(result, named(cell, 'floor'))),
        of((turn) => turn.p50Ms).toFixed(2),
        of((turn) => turn.p99Ms).toFixed(2),
        of((turn) => turn.callsPerSecond).toFixed(0),
        result.turns.reduce((sum, turn) => sum + turn.errors, 0),
      ];
    }),
  );
  return table(header, rows);
}

/**
 * The goals, cell by cell. Where even the floor is not three times better than the best peer, no proxy
 * could be: the last column tells.
 */
export function goalsTable(turns: readonly Turn[]): string {
  const header = `face | upstream | result | at once | tutti × floor (≤ ${untracedLimit}) | traced × floor (≤ ${tracedLimit}) | best peer / tutti (≥ ${peerLimit}) | best peer / floor | best peer`;
  const rows = cellsOf(turns).flatMap((cell) => {
    const floor = named(cell, 'floor');
    const tutti = named(cell, 'tutti');
    if (!tutti) return [];
    const untraced = ratio(tutti, floor);
    const traced = ratio(named(cell, 'tutti, traced'), floor);
    const best = bestPeer(cell);
    const gain = ratio(best, tutti);
    const columns = [
      marked(untraced, untraced > untracedLimit),
      marked(traced, traced > tracedLimit),
      marked(gain, gain < peerLimit),
      shown(ratio(best, floor)),
      best?.contender ?? '–',
    ];
    return [[...cell.titles, ...columns]];
  });
  return table(header, rows);
}

function cellsOf(turns: readonly Turn[]): CellResults[] {
  const groups = Map.groupBy(turns, (it) =>
    [it.face, it.upstream, it.tool, String(it.concurrency).padStart(3)].join('|'),
  );
  return [...groups]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([key, group]) => ({
      titles: key.split('|').map((title) => title.trim()),
      results: [...Map.groupBy(group, ({ contender }) => contender)]
        .map(([contender, own]) => ({ contender, turns: own }))
        .toSorted((a, b) => a.contender.localeCompare(b.contender)),
    }));
}

function named(cell: CellResults, name: string): Result | undefined {
  return cell.results.find(({ contender }) => contender === name);
}

function bestPeer(cell: CellResults): Result | undefined {
  const cost = ({ turns }: Result): number => median(turns.map(({ cpuUs }) => cpuUs));
  return cell.results
    .filter(({ contender }) => peers.some((start) => contender.startsWith(start)))
    .toSorted((a, b) => cost(a) - cost(b))[0];
}

/**
 * The median of the ratios of CPU per call within one turn each: how fast a shared machine is changes
 * from second to second, and medians taken of each alone may come from different seconds.
 */
function ratio(one: Result | undefined, other: Result | undefined): number {
  const ratios = (one?.turns ?? []).flatMap((turn) => {
    const neighbour = other?.turns.find((it) => it.turn === turn.turn);
    return neighbour ? [turn.cpuUs / neighbour.cpuUs] : [];
  });
  return median(ratios);
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const low = sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN;
  const high = sorted[Math.ceil((sorted.length - 1) / 2)] ?? Number.NaN;
  return (low + high) / 2;
}

function shown(value: number): string {
  return Number.isNaN(value) ? '–' : value.toFixed(2);
}

function marked(value: number, isMissed: boolean): string {
  return isMissed ? `**${shown(value)}**` : shown(value);
}

function table(header: string, rows: readonly (readonly (string | number)[])[]): string {
  const columns = header.split(' | ').length;
  const lines = rows.map((row) => `| ${row.join(' | ')} |`);
  return `| ${header} |\n|${' --- |'.repeat(columns)}\n${lines.join('\n')}\n`;
}
