import type { CatalogueEntry } from '../../contract/catalogue/index.ts';
import { examplesMetaKey, needsModelMetaKey, type JsonSchema } from '../../contract/tool/index.ts';
import { plainForm, recordOf } from '../../kernel/index.ts';
import { languageOf, lexicon } from './lexicon.ts';
import { featuresOf } from './read-words.ts';

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
  /** Features of its name, its title and its example phrases, in this order. */
  readonly examples: readonly (readonly string[])[];
  /** Asks to change what is there, not for something new: it has other phrases then. */
  readonly isChange: boolean;
  /** What a step gives that another can take: of which kind, and which member of the result holds it. */
  readonly output: {
    readonly kind: 'code' | 'tests' | 'spec' | 'text';
    readonly field: string | undefined;
  };
  /** Without a model it gives a template only. */
  readonly needsModel: boolean;
  readonly isReadOnly: boolean;
  /** Its phrases name files, and never a source text: it works on data or configurations. */
  readonly isForData: boolean;
  /** Each word of its name, with the concepts it stands for; of tools of other servers. */
  readonly nameWords: readonly (readonly string[])[];
}

/** By what phrases are learned for: a tool that also changes what is there has a second profile, `TOOL#change`. */
export function profileTool(entry: CatalogueEntry, phrases: Phrases, isOwn: boolean) {
  const { name, title, annotations, inputSchema, _meta: meta } = entry.tool;
  const given = meta?.[examplesMetaKey];
  const own = (Array.isArray(given) ? given : []).filter((one) => typeof one === 'string');
  const spaced = name.replaceAll(/[_.-]+/g, ' ').replaceAll(/([a-z])([A-Z])/g, '$1 $2');
  const names = [spaced, title ?? annotations?.title ?? spaced];
  const texts = [...names, ...(phrases[entry.name] ?? []), ...own];
  const examples = texts.map(featuresOf);
  const files = texts.flatMap((text) => text.match(/\w\.[a-z]\w*/gu) ?? []);
  const profile: ToolProfile = {
    entry,
    fields: fieldsOf(inputSchema),
    examples,
    isChange: false,
    output: readOutput(entry, new Set(examples[0])),
    needsModel: meta?.[needsModelMetaKey] === true,
    isReadOnly: annotations?.readOnlyHint === true,
    isForData: files.length > 0 && files.every((file) => languageOf(file) === undefined),
    nameWords: (isOwn ? [] : spaced.split(' ')).map((word) =>
      featuresOf(word).filter((one) => /^(?:verb:|noun:|)[^:_]+$/u.test(one)),
    ),
  };
  const label = `${entry.name}#change`;
  const changes = phrases[label]?.map(featuresOf);
  const change = changes && { ...profile, isChange: true, examples: changes };
  return [[entry.name, profile] as const, ...(change ? [[label, change] as const] : [])];
}

export function fieldsOf({ properties, required }: JsonSchema): readonly Field[] {
  return Object.entries(recordOf(properties)).map(([name, one]) => {
    const schema = recordOf(one);
    const plain = plainForm(name.replaceAll(/([a-z])([A-Z])/g, '$1_$2'));
    const said = lexicon.saidRoles.find(([, start]) => start.test(String(schema['description'])));
    const [role] = said ?? [...lexicon.fieldRoles].find(([, names]) => names.includes(plain)) ?? [];
    return { name, role, isRequired: Array.isArray(required) && required.includes(name), schema };
  });
}

/** By the names of its members; a tool that declares none gives the text it answers with. */
function readOutput({ tool }: CatalogueEntry, name: ReadonlySet<string>): ToolProfile['output'] {
  const members = Object.entries(recordOf(tool.outputSchema?.['properties']));
  const texts = members.filter(([, schema]) =>
    [schema, Object(schema).anyOf].flat().some((one) => recordOf(one)['type'] === 'string'),
  );
  const pick = (kind: string): string | undefined =>
    lexicon.outputs.get(kind)?.find((one) => texts.some(([member]) => member === one));
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

/** What a review proposes is not the file that it is about. */
export function givesCode({ output, examples }: ToolProfile): boolean {
  return output.kind === 'code' && examples[0]?.includes('verb:review') !== true;
}

export function takes({ fields }: ToolProfile, role: string, how?: 'required'): boolean {
  return fields.some((field) => field.role === role && (how === undefined || field.isRequired));
}

/** What the path of a tool may be, as far as its description tells: most take both. */
export function pathKind({ fields }: ToolProfile): 'file' | 'folder' | 'any' | undefined {
  const path = fields.find(({ role }) => role === 'path');
  if (!path) return undefined;
  const text = String(path.schema['description']);
  // "A file of the project", "A file, a folder or a glob": what comes first says what it is.
  const [what = ''] = text.split(/ (?:of|to|in|inside|relative) |[.;]/u);
  if (!/folder|director|glob/iu.test(what)) return /\bfile\b/iu.test(what) ? 'file' : 'any';
  return /\bfile\b/iu.test(text) ? 'any' : 'folder';
}

/** Writes a text somewhere. */
export function isWriter(profile: ToolProfile): boolean {
  const takesText = takes(profile, 'content') || takes(profile, 'diff');
  return !profile.isReadOnly && takes(profile, 'path') && takesText;
}

/** The argument that takes a list of changes or deletions of files, such as `maker` gives where that is known. */
export function changesField({ fields }: ToolProfile, maker?: ToolProfile): string | undefined {
  const given = maker && recordOf(maker.entry.tool.outputSchema?.['properties']);
  const isList = ({ schema: { items } }: Field): boolean =>
    'delete' in recordOf(recordOf(items)['properties']);
  return fields.find((field) => isList(field) && (!given || field.name in given))?.name;
}
