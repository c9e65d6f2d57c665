import type { CatalogueEntry } from '../../contract/catalogue/index.ts';
import { examplesMetaKey, type JsonSchema, type Tool } from '../../contract/tool/index.ts';
import { lookupTable, shellWord } from '../../kernel/index.ts';
import type { Paint } from '../output.ts';
import { recordOf, resolveReference } from '../tool-arguments.ts';

const maxExamples = 3;

interface Page {
  readonly paint: Paint;
  /** Characters per line; text is not wrapped without it. */
  readonly columns?: number | undefined;
}

/** A tool as people read it: what it does, takes and gives, and a call to begin with. */
export function describeTool(entry: CatalogueEntry, page: Page): string {
  const { name, tool } = entry;
  const { paint } = page;
  const sections = [
    `${paint.bold(name)}  ${tool.title ?? ''}`.trimEnd(),
    ...wrap(tool.description ?? '', '', page),
    ...effectOf(entry),
    '',
    ...members('Arguments', tool.inputSchema, page),
    '',
    ...(tool.outputSchema === undefined
      ? [paint.bold('Result'), '  no schema declared']
      : members('Result', tool.outputSchema, page)),
    '',
    paint.bold('Example'),
    `  tutti call ${[name, ...exampleArguments(tool.inputSchema)].join(' ')}`,
    ...requests(tool).map((sentence) => `  tutti "${sentence}"`),
  ];
  return sections.join('\n');
}

/** What its server claims about it, and whether that counts; nothing where it claims nothing. */
function effectOf({
  tool: { annotations },
  server,
  declared,
  isTrusted,
}: CatalogueEntry): string[] {
  const { readOnlyHint, destructiveHint } = declared ?? annotations ?? {};
  if (readOnlyHint === true && annotations?.readOnlyHint !== true) {
    const why =
      isTrusted === true
        ? `that is new, and counts after "tutti servers accept ${server}"`
        : 'which does not count, as its entry does not say trustAnnotations';
    return [`Declared read-only by server "${server}", ${why}.`];
  }
  if (readOnlyHint === true) return [`Declared read-only by server "${server}".`];
  return destructiveHint === true ? [`Declared destructive by server "${server}".`] : [];
}

function members(title: string, schema: JsonSchema, page: Page): string[] {
  const properties = Object.entries(recordOf(schema['properties']));
  const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : [];
  const heading = page.paint.bold(title);
  if (properties.length === 0) {
    return title === 'Arguments'
      ? [`${heading}: none`]
      : [heading, `  ${typeText(schema, schema)}`];
  }
  const lines = properties.flatMap(([name, property]) => {
    const { description, default: usual } = recordOf(property);
    const facts = [
      typeText(property, schema),
      ...(title === 'Arguments' && required.includes(name) ? ['required'] : []),
      ...(usual === undefined ? [] : [`default ${JSON.stringify(usual)}`]),
    ];
    return [
      `  ${page.paint.bold(name)}: ${facts.join(', ')}`,
      ...wrap(typeof description === 'string' ? description : '', '      ', page),
    ];
  });
  return [heading, ...lines];
}

/** What must be given, and the first text where no text must: often it is one of several, of which one is needed. */
function exampleArguments(schema: JsonSchema): string[] {
  const properties = recordOf(schema['properties']);
  const required = Array.isArray(schema['required']) ? schema['required'].map(String) : [];
  const isText = (name: string): boolean => {
    const { type, enum: choices } = recordOf(properties[name]);
    return type === 'string' && choices === undefined;
  };
  const text = required.some(isText) ? undefined : Object.keys(properties).find(isText);
  const names = text === undefined ? required : [...required, text];
  return names.map((name) => `${name}=${shellWord(exampleValue(name, properties[name]))}`);
}

function exampleValue(name: string, schema: unknown): string {
  const { examples, default: usual, enum: choices, type, minimum } = recordOf(schema);
  const given: unknown = [
    Array.isArray(examples) ? examples[0] : undefined,
    Array.isArray(choices) ? choices[0] : undefined,
    usual,
  ].find((value) => value !== undefined);
  if (given !== undefined) return typeof given === 'string' ? given : JSON.stringify(given);
  switch (type) {
    case 'integer':
    case 'number':
      return String(typeof minimum === 'number' ? minimum : 1);
    case 'boolean':
      return 'true';
    case 'object':
      return '{}';
    default:
      return name.toUpperCase();
  }
}

function requests({ _meta }: Tool): string[] {
  const examples = _meta?.[examplesMetaKey];
  const sentences = Array.isArray(examples)
    ? examples.filter((one) => typeof one === 'string')
    : [];
  return sentences.slice(0, maxExamples).map((one) => one.replaceAll('"', "'"));
}

const minWidth = 20;

/** Lines of at most the page's width, cut at spaces, each behind the indent. */
function wrap(text: string, indent: string, { columns }: Page): string[] {
  const width = columns === undefined ? Infinity : Math.max(columns - indent.length, minWidth);
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .flatMap((line) => {
      const lines: string[] = [];
      for (const word of line.trim().split(/\s+/)) {
        const last = lines.at(-1);
        if (last !== undefined && last.length + 1 + word.length <= width) {
          lines[lines.length - 1] = `${last} ${word}`;
        } else lines.push(word);
      }
      return lines.map((one) => indent + one);
    });
}

/** Schemas nested deeper than this are described as "anything". */
const maxDepth = 4;
const maxNames = 12;

const words: Readonly<Record<string, string>> = lookupTable({
  string: 'text',
  boolean: 'true or false',
  integer: 'whole number',
  null: 'null',
});

/** What a value of this schema looks like, in a few words: `text`, `list of text`, `a | b | c`. */
function typeText(schema: unknown, root: JsonSchema, depth = 0): string {
  const part = recordOf(schema);
  const { $ref, enum: choices, const: only, anyOf, oneOf, type } = part;
  if (depth > maxDepth) return 'anything';
  if (typeof $ref === 'string') return typeText(resolveReference($ref, root), root, depth + 1);
  if (only !== undefined) return JSON.stringify(only);
  if (Array.isArray(choices)) return listed(choices.map(String), ' | ');
  const options: readonly unknown[] = [anyOf, oneOf].find(Array.isArray) ?? [];
  if (options.length > 0) {
    const texts = options.map((option) => typeText(option, root, depth + 1));
    return [...new Set(texts)].join(' or ');
  }
  const types = [type].flat().filter((name) => typeof name === 'string');
  if (types.length === 0) return 'anything';
  return types.map((name) => oneType(name, part, { root, depth })).join(' or ');
}

function oneType(
  type: string,
  part: Readonly<Record<string, unknown>>,
  { root, depth }: { readonly root: JsonSchema; readonly depth: number },
): string {
  if (type === 'array') {
    return part['items'] === undefined
      ? 'list'
      : `list of ${typeText(part['items'], root, depth + 1)}`;
  }
  if (type === 'object') {
    const names = Object.keys(recordOf(part['properties']));
    return names.length === 0 ? 'object' : `object {${listed(names, ', ')}}`;
  }
  const word = words[type] ?? type;
  return type === 'integer' || type === 'number' ? `${word}${rangeText(part)}` : word;
}

function rangeText({ minimum, maximum }: Readonly<Record<string, unknown>>): string {
  const hasMinimum = typeof minimum === 'number' && minimum > Number.MIN_SAFE_INTEGER;
  const hasMaximum = typeof maximum === 'number' && maximum < Number.MAX_SAFE_INTEGER;
  if (hasMinimum && hasMaximum) return ` from ${minimum} to ${maximum}`;
  if (hasMaximum) return ` up to ${maximum}`;
  return hasMinimum && minimum !== 0 ? ` from ${minimum}` : '';
}

function listed(names: readonly string[], separator: string): string {
  const more = names.length > maxNames ? `${separator}…` : '';
  return names.slice(0, maxNames).join(separator) + more;
}
