import type { CatalogueEntry } from '../../contract/catalogue/index.ts';
import type { JsonSchema } from '../../contract/tool/index.ts';
import type { IsTrusted } from './capability.ts';

const maxSentenceChars = 200;
const maxDescriptionChars = 600;
const maxProperties = 30;
const maxPropertyChars = 160;

/** `code.format_code: Formats source code.` */
export function nameTool({ name, tool }: CatalogueEntry): string {
  const text = flat(tool.description ?? tool.title ?? '');
  const end = text.search(/[.!?](?:\s|$)/);
  const sentence = end < 0 ? text : text.slice(0, end + 1);
  return `${name}: ${sentence.slice(0, maxSentenceChars)}`;
}

/** A tool with its arguments and results, in few tokens. */
export function describeTool({ name, tool }: CatalogueEntry): string {
  const results = propertiesOf(tool.outputSchema).map(
    ([key, schema]) => `${key} (${typeOf(schema)})`,
  );
  return [
    `${name}: ${flat(tool.description ?? '').slice(0, maxDescriptionChars)}`,
    ...argumentsOf(tool.inputSchema).map((line) => `  - ${line}`),
    ...(results.length > 0 ? [`  gives: ${results.join(', ')}`] : []),
  ].join('\n');
}

/** How much is said of tools before it is known which are needed. */
const maxOfferedChars = 8_000;

export interface DescribedTools {
  readonly lines: readonly string[];
  /** Those a plan can be made with, because their arguments are told. */
  readonly plannable: readonly string[];
}

/**
 * Tools for a model that is to say what is wanted: the first of them with their arguments, so that it can plan at once.
 * Strangers' tools only by name: what they say at length is read when what may be called is settled.
 */
export function describeOffered(
  entries: readonly CatalogueEntry[],
  isTrusted: IsTrusted,
): DescribedTools {
  return describeWithin(entries, maxOfferedChars, ({ server }) => isTrusted(server));
}

/** The first tools with their arguments, as far as they fit; the others by name. */
export function describeWithin(
  entries: readonly CatalogueEntry[],
  maxChars: number,
  mayDescribe: (entry: CatalogueEntry) => boolean = () => true,
): DescribedTools {
  const plannable: string[] = [];
  let left = maxChars;
  const lines = entries.map((entry) => {
    const whole = mayDescribe(entry) ? describeTool(entry) : '';
    if (whole === '' || whole.length > left) return nameTool(entry);
    left -= whole.length;
    plannable.push(entry.name);
    return whole;
  });
  return { lines, plannable };
}

function argumentsOf(schema: JsonSchema): string[] {
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  return propertiesOf(schema).map(([key, property]) => {
    const need = required.includes(key) ? ', required' : '';
    const { description } = property;
    const about =
      typeof description === 'string' ? flat(description).slice(0, maxPropertyChars) : '';
    return `${key} (${typeOf(property)}${need})${about === '' ? '' : `: ${about}`}`;
  });
}

function propertiesOf(schema: JsonSchema | undefined): [string, JsonSchema][] {
  const entries = Object.entries(Object(schema?.['properties']));
  return entries.slice(0, maxProperties).map(([key, value]) => [key, Object(value)]);
}

const maxChoices = 12;

function typeOf(schema: JsonSchema): string {
  const choices = schema['enum'];
  if (Array.isArray(choices)) {
    return choices
      .slice(0, maxChoices)
      .map((choice) => JSON.stringify(choice))
      .join(' | ');
  }
  const type = schema['type'];
  if (type === 'array') return `list of ${typeOf(Object(schema['items']))}`;
  if (typeof type === 'string') return type;
  return Array.isArray(type) ? type.join(' | ') : 'any';
}

function flat(text: string): string {
  return text
    .slice(0, 4 * maxDescriptionChars)
    .replaceAll(/\s+/g, ' ')
    .trim();
}
