import type { CatalogueEntry } from '../../contract/catalogue/index.ts';
import { examplesMetaKey } from '../../contract/tool/index.ts';
import { withSystem, type Invocation } from '../invocation.ts';
import { limitOption } from '../limit-option.ts';
import { firstSentence, formatColumns, type Paint } from '../output.ts';

export async function run(invocation: Invocation): Promise<number> {
  const { output, operands } = invocation;
  const limit = limitOption(invocation);
  return withSystem(invocation, {}, async ({ catalogue }) => {
    const [query] = operands;
    const entries = await catalogue.entries();
    const found = (query === undefined ? entries : searchTools(entries, query)).slice(0, limit);
    if (found.length === 0) {
      output.note(query === undefined ? 'There are no tools' : `No tool fits "${query}"`);
    }
    output.result(found.map(showEntry), () => {
      const [only] = found;
      return only && only.name === query ? describe(only, output.paint) : list(found);
    });
    return 0;
  });
}

function showEntry({ name, server, tool }: CatalogueEntry): Record<string, unknown> {
  const { title, description, inputSchema, outputSchema, annotations } = tool;
  return { name, server, title, description, inputSchema, outputSchema, annotations };
}

/** The named tool alone; else the tools that hold a word of the query, best first. */
function searchTools(entries: readonly CatalogueEntry[], query: string): readonly CatalogueEntry[] {
  const named = entries.filter((entry) => entry.name === query);
  if (named.length > 0) return named;
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return entries
    .map((entry) => ({ entry, score: score(entry, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ entry }) => entry);
}

/** A word counts most in the name, then in the title, the description and the example phrases. */
function score({ name, tool }: CatalogueEntry, words: readonly string[]): number {
  const examples = JSON.stringify(tool._meta?.[examplesMetaKey] ?? '');
  const weighted: readonly (readonly [string, number])[] = [
    [name, 8],
    [tool.title ?? '', 4],
    [tool.description ?? '', 2],
    [examples, 1],
  ];
  let total = 0;
  for (const word of words) {
    for (const [text, weight] of weighted) if (text.toLowerCase().includes(word)) total += weight;
  }
  return total;
}

const maxDescription = 90;

function list(entries: readonly CatalogueEntry[]): string {
  return formatColumns(
    entries.map(({ name, tool }) => [
      name,
      firstSentence(tool.description ?? tool.title ?? '', maxDescription),
    ]),
  );
}

function describe({ name, tool }: CatalogueEntry, paint: Paint): string {
  const { properties, required } = Object(tool.inputSchema);
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  const rows = Object.entries(Object(properties)).map(([argument, schema]) => {
    const { description = '' } = Object(schema);
    return [`  ${argument}${needed.includes(argument) ? ' (needed)' : ''}`, String(description)];
  });
  return [
    `${paint.bold(name)}  ${tool.title ?? ''}`,
    tool.description ?? '',
    '',
    rows.length > 0 ? `Arguments:\n${formatColumns(rows)}` : 'It takes no arguments.',
  ].join('\n');
}
