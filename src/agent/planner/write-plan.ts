import { planSchema, type Json, type Plan, type Step } from '../../contract/plan/index.ts';
import { type Draft, type Source } from './draft-steps.ts';
import { isSignificant, readWords } from './read-words.ts';
import { deletionField, isWriter, recordOf, takes, type Field } from './tool-profile.ts';

const maxGoalChars = 2_000;

export interface PlanText {
  readonly message: string;
  /** What the message before asked for, where this one says "the same". */
  readonly lastRequest?: string | undefined;
}

/** Writes drafts out as a plan: references where a step needs another, inputs where a value is missing. */
export function writePlan(drafts: readonly Draft[], said: PlanText): Plan {
  const inputs: Record<string, Record<string, Json>> = {};
  const steps = drafts.map((draft): Step => {
    const deleted = deletionOf(draft);
    if (deleted) return deleted;
    const items = itemsOf(draft);
    const filling: Filling = { draft, said, items, isCodeGiven: takes(draft.profile, 'code') };
    const args: Record<string, Json> = {};
    for (const field of draft.profile.fields) {
      const isNeeded = field.isRequired || (field.role === 'path' && isWriter(draft.profile));
      const value = valueFor(field, filling) ?? (isNeeded ? inputFor(field, inputs) : undefined);
      if (value !== undefined) args[field.name] = value;
    }
    const { id, profile } = draft;
    return { id, tool: profile.entry.name, args, ...(items && { forEach: items.list }) };
  });
  return planSchema.parse({
    version: 1,
    goal: said.message.slice(0, maxGoalChars),
    ...(Object.keys(inputs).length > 0 && { input: inputs }),
    steps,
  });
}

function deletionOf({ id, profile, subject }: Draft): Step | undefined {
  const field = deletionField(profile);
  const path = isPath(subject) ? pathOf(subject) : undefined;
  if (!isWriter(profile) || field === undefined || path === undefined) return undefined;
  return {
    id,
    tool: profile.entry.name,
    args: { [field]: [{ path, delete: true }] },
  };
}

interface Filling {
  readonly draft: Draft;
  readonly said: PlanText;
  readonly items: Items | undefined;
  readonly isCodeGiven: boolean;
}

function valueFor(field: Field, filling: Filling): Json | undefined {
  const { draft, items } = filling;
  const { slots, subject, extra } = draft;
  const { focus: _focus, languages: _languages, ...single } = slots;
  const values: Readonly<Record<string, string | number | undefined>> = {
    ...single,
    style: slots.styleGuide,
  };
  switch (field.role) {
    case 'code':
      return isPath(subject) ? undefined : textOf(subject);
    case 'path':
      return isWriter(draft.profile) ? (draft.target ?? items?.path) : pathOf(subject);
    case 'tests':
      return kindOf(extra) === 'tests' ? textOf(extra) : undefined;
    case 'task':
      return taskFor(filling);
    case 'content':
      return contentFor(filling);
    case 'query':
      return field.isRequired ? queryFor(draft) : undefined;
    case 'language':
      return accepted(field, slots.languages[0] ?? languageOf(subject));
    case 'framework':
      return accepted(field, slots.framework ?? slots.testFramework);
    case 'focus':
      return slots.focus.length > 0 ? acceptedList(field, slots.focus) : undefined;
    case 'title':
      return accepted(
        field,
        slots.quote ?? (field.isRequired ? draft.text.slice(0, 80) : undefined),
      );
    case undefined:
      return undefined;
    default:
      return accepted(field, values[field.role]);
  }
}

function isPath(source: Source | undefined): boolean {
  return source?.from === 'material' && source.material.kind === 'path';
}

function pathOf(source: Source | undefined): string | undefined {
  return source?.from === 'material' ? source.material.path?.path : undefined;
}

function kindOf(source: Source | undefined): string | undefined {
  return source?.from === 'step' ? source.draft.profile.output.kind : source?.material.kind;
}

function languageOf(source: Source | undefined): string | undefined {
  return source?.from === 'material' ? source.material.language : undefined;
}

/** The user's words, then what they refer to that has no field of its own. */
function taskFor({ draft, said, isCodeGiven }: Filling): string {
  const isSame = /\b(?:same|again|likewise|dasselbe|pareil|mismo)\b/iu.test(draft.text);
  const words =
    isSame && said.lastRequest !== undefined ? [said.lastRequest, draft.text] : [draft.text];
  const more = [isCodeGiven ? undefined : textOf(draft.subject), textOf(draft.extra)];
  return [words.map(escaped).join('\n'), ...more].filter((part) => part !== undefined).join('\n\n');
}

function contentFor({ draft, items }: Filling): string | undefined {
  const { slots, profile, subject, extra } = draft;
  if (items) return items.text;
  if (!takes(profile, 'path') && slots.quote !== undefined) return escaped(slots.quote);
  // The message of a commit is no result of a step.
  if (profile.deeds.has('commit')) return undefined;
  return isPath(subject) ? undefined : textOf(subject ?? extra);
}

/** The name in the clause, else what is left of it without the words that ask. */
function queryFor({ slots, text, subject, profile }: Draft): string | undefined {
  if (slots.symbol !== undefined) return slots.symbol.replace(/\(.*$/u, '');
  if (slots.quote !== undefined) return escaped(slots.quote);
  const asking = ['pronouns', 'light', 'wholeProject', 'questions'] as const;
  const left = readWords(text).filter(
    ({ kind, meaning, text: said }) =>
      kind !== 'mark' &&
      meaning.verbs.length === 0 &&
      (/^[A-Z]{3,}$/u.test(said) || !asking.some((one) => meaning.classes.has(one))) &&
      said !== pathOf(subject) &&
      said.toLowerCase() !== profile.entry.server,
  );
  const significant = left.filter(isSignificant);
  const unknown = significant.filter(
    ({ meaning }) => meaning.nouns.length === 0 || meaning.nouns.includes('search'),
  );
  const said = (unknown.length > 0 ? unknown : significant)
    .map((word) => word.text.replace(/(?<=^[A-Z]{3,})s$/u, ''))
    .join(' ');
  return said === '' ? undefined : escaped(said);
}

/** Nothing that the tool's schema would refuse. */
function accepted({ schema }: Field, value: string | number | undefined): Json | undefined {
  const { type, enum: allowed } = schema;
  if (value === undefined || (Array.isArray(allowed) && !allowed.includes(value))) return undefined;
  if (type === 'integer') return Number.isInteger(value) ? value : undefined;
  if (type === 'number') return typeof value === 'number' ? value : undefined;
  if (type === 'array') return [value];
  return type === 'boolean' || type === 'object' ? undefined : String(value);
}

function acceptedList(field: Field, values: readonly string[]): Json | undefined {
  if (field.schema['type'] !== 'array') return accepted(field, values[0]);
  const item: Field = { ...field, schema: recordOf(field.schema['items']) };
  const good = values.flatMap((value) => accepted(item, value) ?? []);
  return good.length > 0 ? good : undefined;
}

/** A reference to what a step gives, or the text itself. */
function textOf(source: Source | undefined): string | undefined {
  if (source?.from !== 'step') {
    return source?.material.content === undefined ? undefined : escaped(source.material.content);
  }
  const { id, profile } = source.draft;
  if (profile.output.field !== undefined) return `\${${id}.${profile.output.field}}`;
  return profile.entry.tool.outputSchema ? `Result of ${id}: \${${id}}` : `\${${id}.text}`;
}

interface Items {
  readonly list: string;
  readonly path: string;
  readonly text: string;
}

/** Several files that the step before changed are written one by one. */
function itemsOf({ subject, profile, target }: Draft): Items | undefined {
  if (!isWriter(profile) || target !== undefined || subject?.from !== 'step') return undefined;
  const { id, profile: made } = subject.draft;
  const files = recordOf(recordOf(made.entry.tool.outputSchema?.['properties'])['files']);
  const members = recordOf(recordOf(files['items'])['properties']);
  const field = made.output.field ?? '';
  if (!('path' in members) || !(field in members)) return undefined;
  return { list: `\${${id}.files}`, path: '${item.path}', text: `\${item.${field}}` };
}

function inputFor(field: Field, inputs: Record<string, Record<string, Json>>): string {
  const { type, description } = field.schema;
  const about = typeof description === 'string' ? { description } : {};
  inputs[field.name] = { type: typeof type === 'string' ? type : 'string', ...about };
  return `\${input.${field.name}}`;
}

function escaped(text: string): string {
  return text.replaceAll('${', () => '$${');
}
