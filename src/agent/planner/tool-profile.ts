import type { CatalogueEntry } from '../../contract/catalogue/index.ts';
import { examplesMetaKey, needsModelMetaKey, type JsonSchema } from '../../contract/tool/index.ts';
import { featuresOf } from './read-features.ts';
import { plainForm } from '../../kernel/index.ts';
import { lexicon } from './lexicon.ts';
import { readPhrase } from './read-words.ts';

/** Example phrases by tool name; those behind `TOOL#change` ask the tool to change what is there. */
export type Phrases = Readonly<Record<string, readonly string[]>>;

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
  /** Features of its example phrases; without any, of its name and description. */
  readonly examples: readonly (readonly string[])[];
  /** Of phrases that ask to change what is there. */
  readonly changes: readonly (readonly string[])[];
  /** What a step gives that another can take: of which kind, and which member of the result holds it. */
  readonly output: {
    readonly kind: 'code' | 'tests' | 'spec' | 'text';
    readonly field: string | undefined;
  };
  /** Without a model it gives a template only. */
  readonly needsModel: boolean;
  readonly isReadOnly: boolean;
  /** Concepts in its name, where nothing but its name and description tells what it is for. */
  readonly nameConcepts: readonly string[];
  /** Concepts that its phrases share; something is changed only where one of them is named. */
  readonly deeds: ReadonlySet<string>;
}

const maxDescriptionChars = 600;
/** A concept in this part of the phrases is what the tool is for. */
const commonShare = 0.06;

export function profileTool(entry: CatalogueEntry, phrases: Phrases): ToolProfile {
  const { name, title, annotations, description = '', inputSchema, _meta: meta } = entry.tool;
  const given = meta?.[examplesMetaKey];
  const own = (Array.isArray(given) ? given : []).filter((one) => typeof one === 'string');
  const spaced = name.replaceAll(/[_.-]+/g, ' ').replaceAll(/([a-z])([A-Z])/g, '$1 $2');
  const last = spaced.split(' ').slice(1).join(' ');
  const names = [spaced, title ?? annotations?.title ?? spaced];
  const listed = [...(phrases[entry.name] ?? []), ...own];
  const sentences = description.slice(0, maxDescriptionChars).split(/(?<=[.;:])\s+/u);
  const read = (texts: readonly string[]) => texts.map((text) => featuresOf(readPhrase(text)));
  // A tool that lists no phrases is known by its name above all.
  const examples = read(
    listed.length > 0 ? [...names, ...listed] : [...names, ...names, ...names, last, ...sentences],
  );
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
    examples,
    changes: read(phrases[`${entry.name}#change`] ?? []),
    output: readOutput(entry, new Set(examples[0])),
    needsModel: meta?.[needsModelMetaKey] === true,
    isReadOnly: annotations?.readOnlyHint === true,
    nameConcepts:
      listed.length > 0 ? [] : (examples[0] ?? []).filter((one) => /^(?:verb|noun):/u.test(one)),
    deeds: commonConcepts(examples),
  };
}

function commonConcepts(examples: readonly (readonly string[])[]): ReadonlySet<string> {
  const counts = new Map<string, number>();
  for (const feature of examples.flat().filter((one) => one.startsWith('verb:')))
    counts.set(feature, (counts.get(feature) ?? 0) + 1);
  const common = [...counts].filter(([, count]) => count >= examples.length * commonShare);
  return new Set(common.map(([feature]) => feature.replace('verb:', '')));
}

function roleOf(name: string): string | undefined {
  const plain = plainForm(name.replaceAll(/([a-z])([A-Z])/g, '$1_$2'));
  return Object.entries(lexicon.fieldRoles).find(([, names]) => names.includes(plain))?.[0];
}

/** By the names of its members; a tool that declares none gives the text it answers with. */
function readOutput({ tool }: CatalogueEntry, name: ReadonlySet<string>): ToolProfile['output'] {
  const members = Object.entries(recordOf(tool.outputSchema?.['properties']));
  const texts = new Set(
    members.filter(([, schema]) => holdsText(recordOf(schema))).map(([member]) => member),
  );
  const pick = (kind: string): string | undefined =>
    lexicon.outputs[kind]?.find((one) => texts.has(one));
  const code = pick('code');
  if (name.has('noun:tests') && name.has('verb:create'))
    return { kind: 'tests', field: pick('tests') ?? code };
  if (name.has('verb:spec') || pick('spec') !== undefined)
    return { kind: 'spec', field: pick('spec') };
  const isCode = code?.includes('code') === true || code === 'content';
  const isMaker = name.has('noun:code') && name.has('verb:create');
  const isSilent = members.length === 0 && (name.has('verb:read') || isMaker);
  return isCode || isSilent ? { kind: 'code', field: code } : { kind: 'text', field: pick('text') };
}

function holdsText({ type, anyOf }: JsonSchema): boolean {
  return (
    type === 'string' ||
    (Array.isArray(anyOf) && anyOf.some((one) => recordOf(one)['type'] === 'string'))
  );
}

export function takes({ fields }: ToolProfile, role: string, how?: 'required'): boolean {
  return fields.some((field) => field.role === role && (how === undefined || field.isRequired));
}

/** Writes a text somewhere. */
export function isWriter(profile: ToolProfile): boolean {
  const takesText = takes(profile, 'content') || takes(profile, 'diff');
  return !profile.isReadOnly && takes(profile, 'path') && takesText;
}

/** The argument that lists changes of which one may be to delete a file. */
export function deletionField({ fields }: ToolProfile): string | undefined {
  return fields.find(({ schema }) => {
    const members = recordOf(recordOf(recordOf(schema)['items'])['properties']);
    return 'path' in members && recordOf(members['delete'])['type'] === 'boolean';
  })?.name;
}

export function recordOf(value: unknown): JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}
