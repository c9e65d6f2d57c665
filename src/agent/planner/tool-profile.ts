import type { CatalogueEntry } from '../../contract/catalogue/index.ts';
import { examplesMetaKey, type JsonSchema } from '../../contract/tool/index.ts';
import { lexicon, plainForm } from './lexicon.ts';
import { readFrame, readName } from './read-frame.ts';
import { readWords } from './read-words.ts';

export type FieldRole = keyof (typeof lexicon)['fieldRoles'];

/** An argument of a tool, by what it is for. */
export interface Field {
  readonly name: string;
  readonly role: FieldRole | undefined;
  readonly isRequired: boolean;
  readonly schema: JsonSchema;
}

/** What a step gives that another can take: a member of its result, and of which kind it is. */
export interface Output {
  readonly kind: 'code' | 'tests' | 'spec' | 'text';
  readonly field: string | undefined;
}

/** What a tool says about itself, read the same way as a message. */
export interface ToolProfile {
  readonly entry: CatalogueEntry;
  readonly fields: readonly Field[];
  /** Name, title and example phrases. */
  readonly phrases: readonly ReadonlyMap<string, number>[];
  /** All its words, the description included. */
  readonly bag: ReadonlyMap<string, number>;
  readonly output: Output;
  /** The deeds it is asked for by. */
  readonly verbs: ReadonlySet<string>;
}

const maxDescriptionChars = 1_200;
const maxExamples = 60;

export function profileTool(entry: CatalogueEntry): ToolProfile {
  const { tool } = entry;
  const examples = readExamples(tool._meta?.[examplesMetaKey]);
  const name = tool.name.replaceAll(/[_.-]+/g, ' ').replaceAll(/([a-z])([A-Z])/g, '$1 $2');
  const names = [name, tool.title ?? tool.annotations?.title ?? ''].filter((text) => text !== '');
  const frames = [...names, ...examples].map((text) => readFrame(readWords(text)));
  const phrases = frames.map(({ words, features }, at) =>
    at < names.length ? readName(words) : features,
  );
  const verbs = new Set(frames.flatMap(({ verb }) => verb ?? []));
  const described = readFrame(readWords((tool.description ?? '').slice(0, maxDescriptionChars)));
  const bag = new Map<string, number>();
  for (const features of [...phrases, described.features]) {
    for (const [feature, weight] of features)
      bag.set(feature, Math.max(weight, bag.get(feature) ?? 0));
  }
  const fields = readFields(tool.inputSchema);
  return { entry, fields, phrases, bag, output: readOutput(entry, phrases[0] ?? new Map()), verbs };
}

function readExamples(meta: unknown): readonly string[] {
  if (!Array.isArray(meta)) return [];
  return meta.filter((example) => typeof example === 'string').slice(0, maxExamples);
}

function readFields(schema: JsonSchema | undefined): readonly Field[] {
  const properties = recordOf(schema?.['properties']);
  const required = Array.isArray(schema?.['required']) ? schema['required'] : [];
  return Object.entries(properties).map(([name, property]) => ({
    name,
    role: roleOf(name),
    isRequired: required.includes(name),
    schema: recordOf(property),
  }));
}

function roleOf(name: string): FieldRole | undefined {
  const plain = plainForm(name.replaceAll(/([a-z])([A-Z])/g, '$1_$2'));
  const found = Object.entries(lexicon.fieldRoles).find(([, names]) => names.includes(plain));
  return found?.[0];
}

/** By the names of its members; a tool that declares none gives the text it answers with. */
function readOutput({ tool }: CatalogueEntry, name: ReadonlyMap<string, number>): Output {
  const members = Object.entries(recordOf(tool.outputSchema?.['properties']));
  const texts = members
    .filter(([, schema]) => holdsText(recordOf(schema)))
    .map(([member]) => member);
  const pick = (kind: string): string | undefined =>
    lexicon.outputs[kind]?.find((one) => texts.includes(one));
  const isOf = (concept: string): boolean => name.has(concept);
  const tests = pick('tests');
  if (isOf('tests') && isOf('create')) return { kind: 'tests', field: tests ?? pick('code') };
  const spec = pick('spec');
  if (isOf('spec') || spec !== undefined) return { kind: 'spec', field: spec };
  const code = pick('code');
  if (code !== undefined && (code.includes('code') || code === 'content'))
    return { kind: 'code', field: code };
  if (members.length === 0 && (isOf('read') || (isOf('code') && isOf('create'))))
    return { kind: 'code', field: undefined };
  return { kind: 'text', field: pick('text') };
}

function holdsText(schema: JsonSchema): boolean {
  if (schema['type'] === 'string') return true;
  const options = schema['anyOf'];
  return Array.isArray(options) && options.some((option) => recordOf(option)['type'] === 'string');
}

export function recordOf(value: unknown): JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}
