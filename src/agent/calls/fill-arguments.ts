import type { Json } from '../../contract/plan/index.ts';
import type { JsonSchema } from '../../contract/tool/index.ts';
import { recordOf } from '../../kernel/index.ts';

export interface Filled {
  readonly args: Readonly<Record<string, Json>>;
  /** Required arguments that the text gives no value for. */
  readonly missing: readonly string[];
  /** What is left of the text. */
  readonly rest: string;
}

interface Field {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly isRequired: boolean;
}

const value = String.raw`(?:"[^"]*"|'[^']*'|\[[^\]]*\]|\{.*\}|[^\s,;]+)`;
const quoted = /"([^"]+)"|“([^”]+)”|'([^']+)'(?!\w)|\x60([^\x60]+)\x60/u;
const numeral = /(?<![\w.])-?\d+(?:\.\d+)?(?![\w/]|\.\w)/u;
const pathLike = /(?:~|\.{1,2})?\/[\w.@/-]+|[\w-][\w./-]*\.[a-z]\w{0,7}(?![\w/])/iu;
const url = /https?:\/\/[^\s"'<>]+/u;
const pathName = /^(?:path|file|filename|source|destination|directory|folder|dir)s?$|path$/iu;
/** What stands before a value, and says nothing. */
const lead =
  /^(?:[\s,:;]|(?:please|and|the|a|an|of|for|to|with|on|in|at|that|which|about|named|called|what|is|me|my|it)\b)+/iu;
const tail = /(?:[\s,:;?!.]|\b(?:please|and|with|on|in|use|using|call|to|of|the|it))+$/iu;

const glob = /(?<!\S)[\w./-]*\*[^\s"']*/u;
const sql = /^(?:select|insert|update|delete|create|alter|drop|with|pragma|explain|show)\b/iu;

/** What is read so far. */
interface State {
  readonly fields: readonly Field[];
  readonly args: Record<string, Json>;
  rest: string;
}

/** Values in a text for the arguments of a tool: by name, then by type, then in order; nothing is made up. */
export function fillArguments(text: string, schema: JsonSchema, isInList = false): Filled {
  const fields = fieldsOf(schema);
  const given = recordOf(/^\s*\{.*\}\s*$/su.test(text) ? readJson(text) : undefined);
  const named = fields.flatMap(({ name, ...field }): [string, Json][] => {
    const value = readValue(JSON.stringify(given[name]) ?? '', field.schema);
    return name in given && value !== undefined ? [[name, value]] : [];
  });
  // "create an entity Dana": a list within an object of a list may be empty.
  const isDescribed = isInList && fields.filter(({ isRequired }) => isRequired).length > 2;
  const lists = fields.filter((field) => isDescribed && field.schema['type'] === 'array');
  const empty = lists.map(({ name }): [string, Json] => [name, []]);
  const rest = named.length > 0 ? '' : text;
  const state: State = { fields, args: Object.fromEntries([...empty, ...named]), rest };
  takeNamed(state);
  takeTyped(state);
  takeRest(state);
  const missing = open(state).filter(({ isRequired }) => isRequired);
  return {
    args: state.args,
    missing: missing.map(({ name }) => name),
    rest: trimmed(state.rest),
  };
}

function fieldsOf({ properties, required }: JsonSchema): readonly Field[] {
  return Object.entries(recordOf(properties)).map(([name, schema]) => {
    const isRequired = Array.isArray(required) && required.includes(name);
    return { name, schema: recordOf(schema), isRequired };
  });
}

const open = ({ fields, args }: State): readonly Field[] =>
  fields.filter(({ name }) => !(name in args));

const trimmed = (text: string): string => text.replace(lead, '').replace(tail, '');

function take(state: State, field: Field, pattern: RegExp): void {
  const found = pattern.exec(state.rest);
  const said = found?.slice(1).find((part) => part !== undefined) ?? found?.[0];
  const read = said === undefined ? undefined : readValue(said, field.schema);
  if (!found || read === undefined || field.name in state.args) return;
  state.args[field.name] = read;
  const after = state.rest.slice(found.index + found[0].length);
  state.rest = `${state.rest.slice(0, found.index)} ${after}`;
}

function takeNamed(state: State): void {
  for (const field of state.fields) {
    const name = RegExp.escape(field.name);
    take(state, field, new RegExp(`(?<![\\w-])(?:--)?${name}\\s*[=:]\\s*(${value})`, 'iu'));
    // "with message hello", "of type person": a short name is an ordinary word.
    const spoken = /([A-Z]?[a-z]{2,})$/u.exec(field.name)?.[1];
    if (spoken !== undefined)
      take(state, field, new RegExp(`\\b${spoken} (?:is )?(${value})`, 'iu'));
  }
}

function takeTyped(state: State): void {
  for (const field of open(state))
    if (Array.isArray(field.schema['enum'])) take(state, field, oneOf(field));
  const numbers = open(state).filter(({ schema }) => isNumeric(schema));
  const count = state.rest.match(new RegExp(numeral, 'gu'))?.length ?? 0;
  for (const field of numbers)
    if (field.isRequired || count === numbers.length || hasUnitOf(state.rest, field))
      take(state, field, numeral);
  for (const field of open(state).filter(({ schema }) => isText(schema))) {
    if (/^ur[il]$/iu.test(field.name)) take(state, field, url);
    else if (pathName.test(field.name)) take(state, field, pathLike);
    else if (/pattern|glob/iu.test(field.name)) take(state, field, glob);
    if (field.isRequired) take(state, field, quoted);
  }
}

/** What is left is the one required text, or describes the one object of a list. */
function takeRest(state: State): void {
  const [only, ...others] = open(state).filter(({ isRequired }) => isRequired);
  const words = trimmed(state.rest);
  if (!only || others.length > 0 || words === '') return;
  if (isText(only.schema) && (only.name !== 'sql' || sql.test(words))) {
    state.args[only.name] = readValue(words, only.schema) ?? words;
    state.rest = '';
  } else if (only.schema['type'] === 'array') {
    const inner = fillArguments(words, recordOf(only.schema['items']), true);
    if (Object.keys(inner.args).length === 0 || inner.missing.length > 0) return;
    state.args[only.name] = [inner.args];
    state.rest = inner.rest;
  }
}

/** "3 seconds", where the argument says that it is in seconds. */
function hasUnitOf(text: string, { schema, name }: Field): boolean {
  const unit = /\d\s?([a-z]{3,})/iu.exec(text)?.[1]?.toLowerCase().replace(/s$/u, '');
  const about = `${name} ${String(schema['description'])}`.toLowerCase();
  return unit !== undefined && about.includes(unit);
}

const isNumeric = ({ type }: JsonSchema): boolean => type === 'number' || type === 'integer';

function isText({ type, enum: allowed, items }: JsonSchema): boolean {
  if (type === 'array') return recordOf(items)['type'] === 'string';
  return type === 'string' && !Array.isArray(allowed);
}

function oneOf({ schema }: Field): RegExp {
  const allowed = (Array.isArray(schema['enum']) ? schema['enum'] : []).map(String);
  return new RegExp(
    `(?<!\\w)(?:${allowed.map((one) => RegExp.escape(one)).join('|')})(?!\\w)`,
    'iu',
  );
}

/** Nothing that the schema would refuse for its type. */
function readValue(said: string, schema: JsonSchema): Json | undefined {
  const { type, enum: allowed } = schema;
  const text = said.replace(/^(["'\x60])(.*)\1$/u, '$2');
  if (Array.isArray(allowed))
    return allowed.find((one) => String(one).toLowerCase() === text.toLowerCase());
  if (type === 'string') return escaped(text);
  if (isNumeric(schema)) return /^-?\d+(?:\.\d+)?$/u.test(text) ? Number(text) : undefined;
  if (type === 'boolean') return /^(?:true|false)$/iu.test(text) ? /^t/iu.test(text) : undefined;
  const json = readJson(said);
  if (type === 'array' && !Array.isArray(json) && isText(schema))
    return text.split(/\s*,\s*(?:and\s+)?|\s+and\s+/u).map(escaped);
  const fits = type === 'array' ? Array.isArray(json) : typeof json === 'object';
  return fits ? json : undefined;
}

function readJson(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const escaped = (text: string): string => text.replaceAll('${', () => '$${');
