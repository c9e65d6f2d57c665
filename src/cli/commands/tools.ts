import type { CatalogueEntry } from '../../contract/catalogue/index.ts';
import { nearest } from '../../kernel/index.ts';
import { type Invocation, limitOption, withSystem } from '../invocation.ts';
import { firstSentence, formatColumns } from '../output.ts';
import { singleLine } from '../printable.ts';
import type { System } from '../../compose/index.ts';
import { describeTool } from './describe-tool.ts';

export async function run(invocation: Invocation): Promise<number> {
  const { io, output, operands } = invocation;
  const [query] = operands;
  return withSystem(invocation, {}, async (system) => {
    const held = await heldTools(system);
    const named = held.find(({ name }) => name === query);
    if (named) return showHeld(invocation, system, named);
    const { entries, isNamed, note } = await choose(system, query, invocation);
    if (note !== undefined) output.note(note);
    output.result(entries.map(showEntry), () => {
      const [only] = entries;
      if (!only || !isNamed) return list(entries);
      const columns = io.stdout.isTTY === true ? io.stdout.columns : undefined;
      return describeTool(only, { paint: output.paint, columns });
    });
    const shown = held.filter(({ server }) => query === undefined || query === server);
    for (const { name, server } of shown.slice(0, maxHeld)) {
      output.note(`held back: ${singleLine(name)}: tutti servers diff ${server}`);
    }
    return 0;
  });
}

const maxHeld = 10;

/** A tool that cannot be called until it is accepted. */
interface HeldTool {
  readonly name: string;
  readonly server: string;
  readonly tool: string;
}

async function heldTools({ fleet }: System): Promise<readonly HeldTool[]> {
  return (await fleet.status()).flatMap(({ name: server, changedTools }) =>
    changedTools
      .filter(({ isHeld, kind }) => isHeld && kind !== 'instructions')
      .map(({ tool }) => ({ name: `${server}.${tool}`, server, tool })),
  );
}

async function showHeld(
  { output }: Invocation,
  { fleet }: System,
  { server, tool }: HeldTool,
): Promise<number> {
  const { describeDiffs } = await import('./diff-tools.ts');
  const diffs = (await fleet.diffTools(server)).filter(({ change }) => change.tool === tool);
  output.result(diffs, () => describeDiffs(diffs, output.paint));
  output.note(`It cannot be called until: tutti servers accept ${server} ${singleLine(tool)}`);
  return 0;
}

interface Choice {
  readonly entries: readonly CatalogueEntry[];
  /** One tool was asked for by its name. */
  readonly isNamed: boolean;
  /** Why these are not what was asked for. */
  readonly note?: string | undefined;
}

/** The named tool alone; all tools of a named server; else those that fit, best first. */
async function choose(
  { catalogue, findTools }: System,
  query: string | undefined,
  invocation: Invocation,
): Promise<Choice> {
  const { output } = invocation;
  const all = await output.during(listing, catalogue.entries());
  const matches = [
    all.filter(({ name, wireName }) => name === query || wireName === query),
    all.filter(({ name, server }) => server === query || name.startsWith(`${query}.`)),
    all.filter(({ tool }) => tool.name === query),
  ];
  const [named = [], ofServer = [], bare = []] = matches;
  const isNamed = named.length > 0 || (ofServer.length === 0 && bare.length === 1);
  const known = matches.find(({ length }) => length > 0) ?? (query === undefined ? all : undefined);
  if (known) {
    const note = all.length === 0 ? 'There are no tools' : undefined;
    return { entries: known.slice(0, limitOption(invocation)), isNamed, note };
  }
  const search = findTools(query ?? '', limitOption(invocation, defaultFound));
  const entries = await output.during('Loading the search model', search);
  return { entries, isNamed, note: describeMiss(query ?? '', all, entries.length) };
}

/** A name that no tool has, or words that fit none; undefined for words that fit some. */
function describeMiss(
  query: string,
  all: readonly CatalogueEntry[],
  foundCount: number,
): string | undefined {
  const isName = /^[\w-]+(?:\.|__)[\w.-]+$/.test(query);
  if (!isName && foundCount > 0) return undefined;
  const names = all.flatMap(({ name }) => (isName ? name : name.split(/[._]/)));
  const meant = nearest(query, new Set(names));
  return [
    isName ? `There is no tool "${query}".` : `No tool fits "${query}".`,
    ...(meant === undefined ? [] : [`Did you mean "${meant}"?`]),
    ...(foundCount > 0 ? ['These come nearest in meaning:'] : []),
  ].join(' ');
}

function showEntry({ name, server, tool }: CatalogueEntry): Record<string, unknown> {
  const { title, description, inputSchema, outputSchema, annotations } = tool;
  return { name, server, title, description, inputSchema, outputSchema, annotations };
}

const listing = 'Waiting for servers to list their tools';

/** The number of tools a search shows by default. */
const defaultFound = 10;

const maxDescription = 90;

function list(entries: readonly CatalogueEntry[]): string {
  return formatColumns(
    entries.map(({ name, tool }) => [
      name,
      firstSentence(tool.description ?? tool.title ?? '', maxDescription),
    ]),
  );
}
