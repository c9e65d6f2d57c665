import type { CatalogueEntry } from '../../contract/catalogue/index.ts';
import { withSystem, type Invocation } from '../invocation.ts';
import { limitOption } from '../limit-option.ts';
import { firstSentence, formatColumns, type Paint } from '../output.ts';
import type { System } from '../system.ts';

export async function run(invocation: Invocation): Promise<number> {
  const { output, operands } = invocation;
  const [query] = operands;
  const limit = limitOption(invocation, query === undefined ? undefined : defaultFound);
  return withSystem(invocation, {}, async (system) => {
    const found =
      query === undefined
        ? (await system.catalogue.entries()).slice(0, limit)
        : await searchTools(system, query, limit);
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

/** The named tool alone; else the tools that fit, best first. */
async function searchTools(
  { catalogue, findTools }: System,
  query: string,
  limit: number,
): Promise<readonly CatalogueEntry[]> {
  const named = (await catalogue.entries()).filter((entry) => entry.name === query);
  return named.length > 0 ? named : findTools(query, limit);
}

/** How many tools a search shows when nobody says. */
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
