import { planSchema, type Json, type Plan, type Step } from '../../contract/plan/index.ts';
import { consultedLibraries } from './deciding/consulted.ts';
import type { DataKind, Draft, Source } from './deciding/draft.ts';
import { recordOf, type Field, type ToolProfile } from './deciding/tool-profile.ts';

export interface BuildRequest {
  readonly message: string;
  readonly drafts: readonly Draft[];
  /** What the message before asked for, where this one says "the same". */
  readonly lastRequest?: string;
}

const maxGoalChars = 2_000;

/** Writes drafts out as a plan: references where one step needs another, inputs where nobody said a value. */
export function buildPlan(request: BuildRequest): Plan {
  const inputs: Record<string, Record<string, Json>> = {};
  const byId = new Map(request.drafts.map((draft) => [draft.id, draft]));
  const steps = request.drafts.map((draft): Step => {
    const filling: Filling = { request, draft, byId, inputs };
    return { id: draft.id, tool: draft.tool.entry.name, args: fillArguments(filling) };
  });
  return planSchema.parse({
    version: 1,
    goal: request.message.slice(0, maxGoalChars),
    ...(Object.keys(inputs).length > 0 && { input: inputs }),
    steps,
  });
}

interface Filling {
  readonly request: BuildRequest;
  readonly draft: Draft;
  readonly byId: ReadonlyMap<string, Draft>;
  /** What a run has to be given; grows. */
  readonly inputs: Record<string, Record<string, Json>>;
}

function fillArguments(filling: Filling): Record<string, Json> {
  const { draft } = filling;
  const args: Record<string, Json> = {};
  const isUsed = new Set<Source>();
  for (const field of orderOfFilling(draft.tool)) {
    const value =
      valueFor(field, filling, isUsed) ?? (field.isRequired ? askFor(field, filling) : undefined);
    if (value !== undefined) args[field.name] = value;
  }
  return args;
}

/** Fields that hold one kind only go before those that take any text. */
function orderOfFilling(tool: ToolProfile): readonly Field[] {
  const rank = (field: Field): number =>
    ['code', 'tests'].includes(field.kind) ? 0 : field.isRequired ? 1 : 2;
  return tool.fields.toSorted((a, b) => rank(a) - rank(b));
}

function valueFor(field: Field, filling: Filling, isUsed: Set<Source>): Json | undefined {
  const { draft } = filling;
  switch (field.kind) {
    case 'code':
      return codeFor(filling, isUsed);
    case 'tests':
      return take(filling, isUsed, ['tests']);
    case 'task':
      return taskFor(filling, isUsed);
    case 'text':
      return textFor(filling, isUsed);
    case 'path':
      return draft.path ?? projectPath(draft);
    case 'query':
      return draft.capability === 'runTests' ? undefined : withoutVerb(draft.text);
    case 'channel':
      return accepted(field, draft.slots.channels[0]);
    case 'address':
      return accepted(field, draft.slots.emails[0]);
    case 'title':
      return accepted(field, draft.slots.quotes[0] ?? titleOf(filling));
    case 'label':
      return accepted(field, draft.slots.label);
    case 'language':
      return accepted(field, draft.language ?? givenLanguage(draft));
    case 'framework':
      return draft.capability === 'runTests'
        ? accepted(field, draft.slots.testFramework)
        : accepted(field, draft.slots.framework);
    case 'testFramework':
      return accepted(field, draft.slots.testFramework);
    case 'style':
      return accepted(field, draft.slots.styleGuide);
    case 'coverage':
      return accepted(field, draft.slots.coverage);
    case 'lineLength':
      return accepted(field, draft.slots.lineLength);
    case 'focus':
      return focusFor(field, draft);
    case 'libraries':
      return librariesFor(field, filling);
    case 'context':
    case 'files':
    case 'other':
      return undefined;
  }
}

function codeFor(filling: Filling, isUsed: Set<Source>): Json | undefined {
  const { draft } = filling;
  if (draft.capability === 'code') return take(filling, isUsed, ['code']);
  return take(filling, isUsed, ['code', 'tests', 'spec', 'text', 'review']);
}

/** What to do in words, with everything it is made from that has no field of its own. */
function taskFor(filling: Filling, isUsed: Set<Source>): Json {
  const { draft, request } = filling;
  const parts = [draft.text === '' ? request.message : sayTask(filling)];
  for (const source of draft.sources) {
    if (isUsed.has(source)) continue;
    isUsed.add(source);
    const value = refer(source, filling);
    if (value !== undefined) parts.push(value);
  }
  return parts.join('\n\n');
}

function sayTask({ draft, request }: Filling): string {
  const said =
    draft.text.length < request.message.length / 3 && request.drafts.length < 2
      ? request.message
      : draft.text;
  return escaped(request.lastRequest === undefined ? said : `${request.lastRequest}\n${said}`);
}

function textFor(filling: Filling, isUsed: Set<Source>): Json | undefined {
  const { draft } = filling;
  const parts = draft.sources.flatMap((source) => {
    if (isUsed.has(source)) return [];
    isUsed.add(source);
    return refer(source, filling) ?? [];
  });
  return parts.length > 0
    ? parts.join('\n\n')
    : draft.text === ''
      ? undefined
      : escaped(draft.text);
}

function take(filling: Filling, isUsed: Set<Source>, kinds: readonly DataKind[]): Json | undefined {
  const source = filling.draft.sources.find(
    (one) => !isUsed.has(one) && kinds.includes(kindOf(one)),
  );
  if (!source) return undefined;
  isUsed.add(source);
  return refer(source, filling);
}

function kindOf(source: Source): DataKind {
  return source.from === 'step' ? source.kind : source.given.kind;
}

/** The source as text: a reference to a field of a step, the text itself, or an input where only an artifact is known. */
function refer(source: Source, filling: Filling): string | undefined {
  if (source.from === 'step') {
    const draft = filling.byId.get(source.step);
    return draft && referTo(draft);
  }
  const { content, title, kind } = source.given;
  if (content !== undefined) return escaped(content);
  const name = kind;
  filling.inputs[name] = { type: 'string', description: `The ${kind}: ${title}` };
  return `\${input.${name}}`;
}

const usualFields: Readonly<Record<DataKind, readonly string[]>> = {
  code: ['code', 'formatted_code', 'refactored_code', 'source', 'content', 'text'],
  tests: ['test_code', 'tests', 'code', 'content', 'text'],
  spec: ['formalized_description', 'specification', 'spec', 'description', 'content', 'text'],
  review: ['review', 'summary', 'text', 'issues', 'content'],
  report: ['report', 'summary', 'text', 'stdout', 'content'],
  text: ['text', 'content', 'summary', 'results', 'issues', 'passages'],
  url: ['url', 'link', 'id', 'text'],
  none: ['path', 'text'],
};

function referTo(draft: Draft): string {
  const { outputSchema } = draft.tool.entry.tool;
  if (!outputSchema) return `\${${draft.id}.text}`;
  const properties = recordOf(outputSchema.properties);
  const names = Object.keys(properties);
  const usual =
    draft.capability === 'read' ? ['content', 'text', 'code'] : usualFields[draft.gives];
  const name =
    usual.find((one) => names.includes(one)) ?? names.find((one) => isText(properties[one]));
  if (name === undefined)
    return names.length === 0 ? `\${${draft.id}}` : `Result of ${draft.id}: \${${draft.id}}`;
  const reference = `\${${draft.id}.${name}}`;
  const isPlain = isText(properties[name]);
  // Within a text a value that is none is written out as JSON.
  return isPlain ? reference : `${titleFor(draft)}:\n${reference}`;
}

function titleFor(draft: Draft): string {
  return draft.gives === 'review' ? 'Findings of the review' : `Result of ${draft.id}`;
}

function isText(schema: unknown): boolean {
  return recordOf(schema).type === 'string';
}

/** What a tool needs and nobody said: the run is given it. */
function askFor(field: Field, filling: Filling): Json {
  const { draft, inputs } = filling;
  if (field.kind === 'path' && draft.capability === 'write') return saveName(filling);
  const isTaken = Object.hasOwn(inputs, field.name);
  const name = isTaken ? `${draft.id}_${field.name}` : field.name;
  const { type } = field.schema;
  const described =
    typeof field.schema.description === 'string'
      ? field.schema.description
      : `"${field.name}" of ${draft.tool.entry.name}`;
  inputs[name] = { ...(typeof type === 'string' && { type }), description: described };
  return `\${input.${name}}`;
}

function saveName({ draft, byId }: Filling): string {
  const [source] = draft.sources;
  const from = source?.from === 'step' ? byId.get(source.step) : undefined;
  const read = from?.sources.flatMap((one) =>
    one.from === 'step' && from.gives === 'code' ? (byId.get(one.step)?.path ?? []) : [],
  )[0];
  if (read !== undefined) return read;
  const endings: Readonly<Record<string, string>> = {
    python: 'py',
    javascript: 'js',
    typescript: 'ts',
    java: 'java',
    go: 'go',
    rust: 'rs',
    sql: 'sql',
    html: 'html',
    css: 'css',
  };
  const kind = from?.gives ?? 'text';
  const ending =
    kind === 'code' || kind === 'tests' ? (endings[from?.language ?? ''] ?? 'txt') : 'md';
  return `${kind === 'none' ? 'output' : kind}.${ending}`;
}

/** The value when the field's schema allows it. */
function accepted(field: Field, value: string | number | undefined): Json | undefined {
  if (value === undefined) return undefined;
  const { schema } = field;
  if (Array.isArray(schema.enum)) return schema.enum.includes(value) ? value : undefined;
  if (schema.type === 'array') {
    const items = recordOf(schema.items);
    if (Array.isArray(items.enum) && !items.enum.includes(value)) return undefined;
    return [value];
  }
  const isNumber = schema.type === 'integer' || schema.type === 'number';
  if (isNumber) return typeof value === 'number' ? value : undefined;
  return schema.type === 'boolean' ? undefined : String(value);
}

function focusFor(field: Field, draft: Draft): Json | undefined {
  const { focus } = draft.slots;
  if (field.schema.type !== 'array') return accepted(field, focus[0]);
  const areas = focus.flatMap((area) => accepted(field, area) ?? []).flat();
  return areas.length > 0 && areas.length < 4 ? areas : undefined;
}

function givenLanguage(draft: Draft): string | undefined {
  const source = draft.sources.find(({ from }) => from === 'given');
  return source?.from === 'given' ? source.given.language : undefined;
}

function titleOf({ request, draft }: Filling): string {
  const isAbout = draft.sources.length > 0 || draft.text === '';
  const text = (isAbout ? request.message : draft.text).replaceAll(/\s+/gu, ' ').trim();
  return escaped(text.length > 80 ? `${text.slice(0, 79)}…` : text);
}

function withoutVerb(text: string): string {
  return escaped(
    text.replace(
      /^(?:please\s+)?(?:search (?:the web |online )?(?:for )?|google |look up |research |find out (?:online )?)/iu,
      '',
    ),
  );
}

/** Tools that look at a project look at this one, unless told otherwise. */
function projectPath(draft: Draft): string | undefined {
  const isProject = ['imports', 'vulnerabilities', 'runTests'].includes(draft.capability);
  return isProject && draft.sources.length === 0 ? pathIn(draft) : undefined;
}

function pathIn(draft: Draft): string {
  return draft.path ?? /(?:\bof|\bin|\bfor)\s+([\w./-]+)\s*$/iu.exec(draft.text)?.[1] ?? '.';
}

function librariesFor(field: Field, { draft, request }: Filling): Json | undefined {
  if (field.schema.type !== 'array') return accepted(field, libraryIn(draft));
  const named = consultedLibraries(request.message);
  const { framework } = draft.slots;
  const all = named.length > 0 || framework === undefined ? named : [framework];
  return all.length > 0 ? [...all] : undefined;
}

function libraryIn(draft: Draft): string | undefined {
  return (
    /(?:documentation|docs|manual|reference)\s+(?:of|for|from|about)\s+([\w@./-]+)/iu.exec(
      draft.text,
    )?.[1] ?? /([\w@./-]+)(?:'s)?\s+(?:documentation|docs)\b/iu.exec(draft.text)?.[1]
  );
}

/** `${` in somebody's text is no reference. */
function escaped(text: string): string {
  return text.replaceAll('${', () => '$${');
}
