import { planSchema, type Json, type Plan, type Step } from '../../contract/plan/index.ts';
import { recordOf, stemOf } from '../../kernel/index.ts';
import { originOf } from './draft-steps.ts';
import { languageOf } from './lexicon.ts';
import type { Draft, Material } from './read-context.ts';
import { has, isKnown, isSignificant, readWords, type Word } from './read-words.ts';
import { changesField, fieldsOf, isWriter, takes, type Field } from './tool-profile.ts';

const maxGoalChars = 2_000;

/** Writes drafts out as a plan: references where a step needs another, inputs where a value is missing. */
export function writePlan(drafts: readonly Draft[], message: string): Plan {
  const inputs: Record<string, Record<string, Json>> = {};
  const steps = drafts.map((draft, at): Step => {
    const { id, profile } = draft;
    const changes = changesOf(draft);
    const args: Record<string, Json> = { ...changes };
    for (const field of changes ? [] : profile.fields) {
      const isNeeded = field.isRequired || (field.role === 'path' && isWriter(profile));
      const value = valueFor(field, draft) ?? (isNeeded ? inputFor(field, inputs) : undefined);
      if (value !== undefined) args[field.name] = value;
    }
    const when = conditionFor(draft, drafts.slice(0, at));
    return { id, tool: profile.entry.name, args, ...(when && { when }) };
  });
  return planSchema.parse({
    version: 1,
    goal: message.slice(0, maxGoalChars),
    ...(Object.keys(inputs).length > 0 && { input: inputs }),
    steps,
  });
}

/** What comes after a change is to see it, and "if the tests pass" asks for what they counted. */
function conditionFor({ text }: Draft, before: readonly Draft[]): string {
  const isChange = ({ profile: { entry, isReadOnly } }: Draft): boolean =>
    !isReadOnly && entry.tool.annotations?.destructiveHint !== false;
  const changed = before.findLast(isChange)?.id;
  const isTest = ({ profile: { entry } }: Draft): boolean =>
    'ok' in recordOf(entry.tool.outputSchema?.['properties']);
  const says = (name: string): boolean => readWords(text).some((word) => has(word, name));
  const tested = says('conditions') ? before.findLast(isTest)?.id : undefined;
  const waits = changed ? [`exists(\${${changed}})`] : [];
  return [...waits, ...(tested ? [`\${${tested}.ok} == ${!says('failures')}`] : [])].join(' && ');
}

/** Deletes a file, or saves all files that a step lists. */
function changesOf({ profile, subject, target }: Draft): Record<string, Json> | undefined {
  const field = isWriter(profile) ? changesField(profile, subject?.draft?.profile) : undefined;
  const made = target === undefined && subject?.draft && `\${${subject.draft.id}.${field}}`;
  const changes = subject?.path ? [{ path: subject.path.path, delete: true }] : made;
  return field !== undefined && changes ? { [field]: changes } : undefined;
}

function valueFor(field: Field, draft: Draft): Json | undefined {
  const { slots, subject, extra, profile, text } = draft;
  const isAddition = slots.single['addition'] !== undefined;
  switch (field.role ?? '') {
    case 'code':
      return subject?.path ? undefined : textOf(subject);
    case 'origin':
      return originOf(subject);
    case 'error':
      return accepted(field, textOf(extra) ?? slots.single['error']);
    case 'path':
      return isWriter(profile) ? draft.target : subject?.path?.path;
    case 'task':
      return taskFor(draft);
    case 'content':
    case 'addition':
      return isAddition === (field.role === 'addition') ? contentFor(draft) : undefined;
    case 'query':
      return field.isRequired ? escaped(queryWords(draft).join(' ')) || undefined : undefined;
    case 'library':
    case 'topic':
      return field.isRequired ? docsQuery(draft)[field.role ?? ''] : undefined;
    case 'language':
      // A file has a language of its own; "SQL injection" names none.
      return subject?.path
        ? undefined
        : accepted(field, slots.language ?? subject?.language ?? languageOf(originOf(subject)));
    case 'title':
      return accepted(field, slots.quote ?? (field.isRequired ? text.slice(0, 80) : undefined));
    default:
      return (
        accepted(field, slots.single[field.role ?? ''] ?? spokenOf(field, text)) ??
        membersOf(field, slots)
      );
  }
}

/** The user's words, then what they refer to that has no field of its own. */
function taskFor({ text, profile, subject, extra }: Draft): string {
  const more = [takes(profile, 'code') ? undefined : textOf(subject), textOf(extra)];
  return [escaped(text), ...more].filter((part) => part !== undefined).join('\n\n');
}

function contentFor({ slots, profile, subject, extra }: Draft): string | undefined {
  if (!takes(profile, 'path') && slots.quote !== undefined) return escaped(slots.quote);
  // The message of a commit is no result of a step.
  if (profile.examples[0]?.includes('verb:commit')) return slots.message;
  return subject?.path ? undefined : textOf(subject ?? extra);
}

/** "lodash debounce", "the hooks of react": a library, and what to look up in it. */
function docsQuery(draft: Draft): Readonly<Record<string, string | undefined>> {
  const slots = { ...draft.slots, symbol: undefined, quote: undefined };
  const said = queryWords({ ...draft, slots });
  const library = [slots.single['library'] ?? said[0]].flat()[0];
  const named =
    slots.single['topic'] ?? said.filter((word) => library?.endsWith(word) !== true).join(' ');
  const topic = [named].flat()[0] || library;
  return { library: library && escaped(library), topic: topic && escaped(topic) };
}

/** The name in the clause, else what is left of it without the words that ask. */
function queryWords({ slots, text, subject, profile }: Draft): readonly string[] {
  if (slots.symbol !== undefined) return [slots.symbol.replace(/\(.*$/u, '')];
  if (slots.quote !== undefined) return [slots.quote];
  const asking = ['pronouns', 'light', 'wholeProject', 'questions'] as const;
  const left = readWords(text).filter(
    ({ kind, meaning, text: said }) =>
      kind !== 'mark' &&
      meaning.verbs.length === 0 &&
      (/^[A-Z]{3,}$/u.test(said) || !asking.some((one) => meaning.classes.has(one))) &&
      said !== subject?.path?.path &&
      said.toLowerCase() !== profile.entry.server,
  );
  const significant = left.filter(isSignificant);
  const unknown = significant.filter(
    ({ meaning }) => meaning.nouns.length === 0 || meaning.nouns.includes('search'),
  );
  return (unknown.length > 0 ? unknown : significant).map((word) => word.text);
}

type Value = string | readonly string[] | undefined;

/** Nothing that the tool's schema would refuse. */
function accepted({ schema }: Pick<Field, 'schema'>, value: Value): Json | undefined {
  const { type, enum: allowed, items, minimum } = schema;
  if (type === 'array') {
    const good = [value].flat().flatMap((one) => accepted({ schema: recordOf(items) }, one) ?? []);
    return good.length > 0 ? good : undefined;
  }
  const one = Array.isArray(value) ? value[0] : value;
  if (one === undefined || (Array.isArray(allowed) && !allowed.includes(one))) return undefined;
  if (type === 'integer' || type === 'number')
    return /^-?\d+(?:\.\d+)?$/u.test(one) && !(Number(one) < Number(minimum ?? 0))
      ? Number(one)
      : undefined;
  if (type === 'boolean') return one === 'true' ? true : undefined;
  return type === 'object' ? undefined : one;
}

/** "with tabs", "only what is staged": a value that the schema lists, or a switch that is named. */
function spokenOf({ name, role, schema }: Field, text: string): string | undefined {
  const words = readWords(text);
  const said = new Set(words.map(({ plain }) => stemOf(plain)));
  const isSaid = (word: Word): boolean => said.has(stemOf(word.plain));
  if (schema.type === 'boolean')
    return readWords(name.replaceAll('_', ' ')).every(isSaid) ? 'true' : undefined;
  if (role !== undefined || !Array.isArray(schema.enum)) return undefined;
  const named = new Set(words.flatMap(({ meaning }) => Object.values(meaning.names)));
  const isMeant = (word: Word): boolean => !isKnown(word) && isSaid(word);
  return schema.enum.find((one) => named.has(one) || readWords(String(one)).every(isMeant));
}

/** The members of an argument whose values the words name: limits, columns. */
function membersOf({ schema }: Field, { single }: Draft['slots']): Json | undefined {
  const members = fieldsOf(schema).flatMap((one): [string, Json][] => {
    const value = accepted(one, single[one.role ?? '']);
    return value === undefined ? [] : [[one.name, value]];
  });
  return members.length > 0 ? Object.fromEntries(members) : undefined;
}

/** A reference to what a step gives, or the text itself. */
function textOf(material: Material | undefined): string | undefined {
  if (!material?.draft)
    return material?.content === undefined ? undefined : escaped(material.content);
  const { id, profile } = material.draft;
  if (profile.output.field !== undefined) return `\${${id}.${profile.output.field}}`;
  return profile.entry.tool.outputSchema ? `Result of ${id}: \${${id}}` : `\${${id}.text}`;
}

function inputFor(field: Field, inputs: Record<string, Record<string, Json>>): string {
  const { type, description } = field.schema;
  const about = typeof description === 'string' ? { description } : {};
  inputs[field.name] = { type: typeof type === 'string' ? type : 'string', ...about };
  return `\${input.${field.name}}`;
}

const escaped = (text: string): string => text.replaceAll('${', () => '$${');
