import type { CatalogueEntry } from '../../contract/catalogue/index.ts';
import { examplesMetaKey, needsModelMetaKey, type JsonSchema } from '../../contract/tool/index.ts';
import { lexicon, plainForm } from './lexicon.ts';
import { readFrame, readName } from './read-frame.ts';
import { readWords } from './read-words.ts';

/** An argument of a tool. */
export interface Field {
  readonly name: string;
  /** What it is for, as `fieldRoles` in the lexicon names it. */
  readonly role: string | undefined;
  readonly isRequired: boolean;
  readonly schema: JsonSchema;
}

/** What a tool says about itself, read the same way as a message. */
export interface ToolProfile {
  readonly entry: CatalogueEntry;
  readonly fields: readonly Field[];
  /** Name, title and example phrases. */
  readonly phrases: readonly ReadonlyMap<string, number>[];
  /** All its words, the description included. */
  readonly bag: ReadonlyMap<string, number>;
  /** What a step gives that another can take: of which kind, and which member of the result holds it. */
  readonly output: {
    readonly kind: 'code' | 'tests' | 'spec' | 'text';
    readonly field: string | undefined;
  };
  /** Without a model it gives a template only. */
  readonly needsModel: boolean;
  /** The deeds it is asked for by. */
  readonly verbs: ReadonlySet<string>;
}

const maxDescriptionChars = 1_200;
const maxExamples = 60;

export function profileTool(entry: CatalogueEntry): ToolProfile {
  const { name, title, annotations, description = '', inputSchema, _meta: meta } = entry.tool;
  const given = meta?.[examplesMetaKey];
  const examples = (Array.isArray(given) ? given : []).filter(
    (example) => typeof example === 'string',
  );
  const spaced = name.replaceAll(/[_.-]+/g, ' ').replaceAll(/([a-z])([A-Z])/g, '$1 $2');
  const names = [spaced, title ?? annotations?.title ?? ''].filter((text) => text !== '');
  const texts = [...names, ...examples.slice(0, maxExamples)];
  const frames = texts.map((text) => readFrame(readWords(text)));
  const phrases = frames.map(({ words, features }, at) =>
    at < names.length ? readName(words) : features,
  );
  const described = readName(readWords(description.slice(0, maxDescriptionChars)));
  const required = inputSchema['required'];
  const fields = Object.entries(recordOf(inputSchema['properties'])).map(([field, schema]) => ({
    name: field,
    role: roleOf(field),
    isRequired: Array.isArray(required) && required.includes(field),
    schema: recordOf(schema),
  }));
  return {
    entry,
    fields,
    phrases,
    bag: new Map([...described, ...phrases.flatMap((phrase) => [...phrase])]),
    output: readOutput(entry, phrases[0] ?? new Map()),
    needsModel: meta?.[needsModelMetaKey] === true,
    verbs: new Set(frames.flatMap(({ verb }) => verb ?? [])),
  };
}

function roleOf(name: string): string | undefined {
  const plain = plainForm(name.replaceAll(/([a-z])([A-Z])/g, '$1_$2'));
  return Object.entries(lexicon.fieldRoles).find(([, names]) => names.includes(plain))?.[0];
}

/** By the names of its members; a tool that declares none gives the text it answers with. */
function readOutput(
  { tool }: CatalogueEntry,
  name: ReadonlyMap<string, number>,
): ToolProfile['output'] {
  const members = Object.entries(recordOf(tool.outputSchema?.['properties']));
  const texts = new Set(
    members.filter(([, schema]) => holdsText(recordOf(schema))).map(([member]) => member),
  );
  const pick = (kind: string): string | undefined =>
    lexicon.outputs[kind]?.find((one) => texts.has(one));
  const code = pick('code');
  if (name.has('tests') && name.has('create'))
    return { kind: 'tests', field: pick('tests') ?? code };
  if (name.has('spec') || pick('spec') !== undefined) return { kind: 'spec', field: pick('spec') };
  const isCode = code?.includes('code') === true || code === 'content';
  const isSilent =
    members.length === 0 && (name.has('read') || (name.has('code') && name.has('create')));
  return isCode || isSilent ? { kind: 'code', field: code } : { kind: 'text', field: pick('text') };
}

function holdsText({ type, anyOf }: JsonSchema): boolean {
  return (
    type === 'string' ||
    (Array.isArray(anyOf) && anyOf.some((one) => recordOf(one)['type'] === 'string'))
  );
}

export function recordOf(value: unknown): JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}
