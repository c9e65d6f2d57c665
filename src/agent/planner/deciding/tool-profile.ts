import type { CatalogueEntry } from '../../../contract/catalogue/index.ts';
import type { JsonSchema } from '../../../contract/tool/index.ts';

/** What a field of a tool holds, as far as its name tells. */
export type FieldKind =
  | 'code'
  | 'tests'
  | 'task'
  | 'text'
  | 'path'
  | 'query'
  | 'channel'
  | 'address'
  | 'title'
  | 'label'
  | 'language'
  | 'framework'
  | 'testFramework'
  | 'style'
  | 'coverage'
  | 'lineLength'
  | 'focus'
  | 'context'
  | 'libraries'
  | 'files'
  | 'other';

export interface Field {
  readonly name: string;
  readonly kind: FieldKind;
  readonly isRequired: boolean;
  readonly schema: JsonSchema;
}

/** A tool as the planner sees it: what it takes and gives. */
export interface ToolProfile {
  readonly entry: CatalogueEntry;
  readonly fields: readonly Field[];
}

const kinds: readonly (readonly [FieldKind, RegExp])[] = [
  ['testFramework', /^test_?framework$|^testing_?framework$/u],
  ['tests', /^tests?$|^test_?code$|^test_?suite$/u],
  ['code', /^(?:source_?)?code$|^source$|^snippet$|^program$/u],
  [
    'task',
    /^(?:task|description|informal_?request|request|requirements?|spec|specification|prompt|instructions?|goal)$/u,
  ],
  ['path', /^(?:file_?)?path$|^file(?:_?name)?$|^target$|^destination$/u],
  ['files', /^files$/u],
  ['query', /^q$|^query$|^search(?:_?term)?$|^question$|^topic$|^term$/u],
  ['channel', /^channel(?:_?(?:id|name))?$|^room$/u],
  ['address', /^to$|^recipients?$|^address$|^e?mail(?:_?address)?$/u],
  ['title', /^title$|^subject$|^summary$|^headline$/u],
  ['label', /^labels?$|^tags?$/u],
  ['text', /^text$|^content$|^body$|^message$|^input$|^document$|^data$/u],
  ['language', /^language$|^lang$/u],
  ['framework', /^framework$/u],
  ['style', /^style(?:_?guide)?$/u],
  ['coverage', /^coverage(?:_?(?:target|percent))?$|^min_?coverage$/u],
  ['lineLength', /^(?:max_?)?line_?length$|^width$/u],
  ['focus', /^focus(?:_?areas?)?$/u],
  ['context', /^context$/u],
  ['libraries', /^librar(?:y|ies)$/u],
];

export function profileOf(entry: CatalogueEntry): ToolProfile {
  const { properties, required } = entry.tool.inputSchema;
  const names = new Set(Array.isArray(required) ? required.map(String) : []);
  const fields = Object.entries(recordOf(properties)).map(([name, schema]) => ({
    name,
    kind: kindOfField(name),
    isRequired: names.has(name),
    schema: recordOf(schema),
  }));
  return { entry, fields };
}

export function fieldOf(profile: ToolProfile, ...wanted: readonly FieldKind[]): Field | undefined {
  for (const kind of wanted) {
    const found = profile.fields.find((field) => field.kind === kind);
    if (found) return found;
  }
  return undefined;
}

function kindOfField(name: string): FieldKind {
  const plain = name.replaceAll(/([a-z])([A-Z])/gu, '$1_$2').toLowerCase();
  return kinds.find(([, pattern]) => pattern.test(plain))?.[0] ?? 'other';
}

export function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  // Checked to be an object right before; an array has no named fields we look for.
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
