import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { JsonSchema } from '../contract/tool/index.ts';
import { nearest } from '../kernel/index.ts';
import { UsageError } from './errors.ts';
import type { Io } from './io.ts';
import { readInput } from './read-input.ts';

/** Schemas that refer to one another deeper than this are read as "anything". */
const maxSchemaDepth = 8;

/** Pairs from a command line as the arguments that a tool's input schema describes. */
export function toolArguments(
  schema: JsonSchema,
  pairs: readonly Pair[],
  toolName?: string,
): Record<string, unknown> {
  const properties = recordOf(schema['properties']);
  const args: Record<string, unknown> = {};
  for (const { name, value } of pairs) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (property === undefined) refuseUnknown(schema, name, toolName);
    const types = typesOf(property, schema, 0);
    const parsed = parseValue(types, value);
    const earlier = Object.hasOwn(args, name) ? args[name] : undefined;
    if (earlier !== undefined && !types.has('array')) {
      throw new UsageError(`The argument "${name}" is given twice`);
    }
    args[name] = Array.isArray(earlier) ? earlier.concat(parsed) : parsed;
  }
  return args;
}

/** A misspelt name must not be dropped in silence, even where the schema would allow more names. */
function refuseUnknown(schema: JsonSchema, name: string, toolName: string | undefined): void {
  const more = schema['additionalProperties'];
  if (more === true || (typeof more === 'object' && more !== null)) return;
  const known = Object.keys(recordOf(schema['properties']));
  const suggestion = nearest(name, known);
  const list = known.length === 0 ? 'It takes none' : `It has: ${known.join(', ')}`;
  const proposal = suggestion === undefined ? list : `Did you mean "${suggestion}"?`;
  throw new UsageError(`The tool has no argument "${name}". ${proposal}`, {
    details: { name },
    ...(toolName !== undefined && {
      hint: `\`tutti tools ${toolName}\` shows the arguments it takes.`,
    }),
  });
}

/** The text as the first of the types it can be; as text where it can be none, for the tool to judge. */
function parseValue(types: ReadonlySet<string>, text: string): unknown {
  const trimmed = text.trim();
  if ((types.has('number') || types.has('integer')) && isNumber(trimmed)) return Number(trimmed);
  if (types.has('boolean') && (trimmed === 'true' || trimmed === 'false'))
    return trimmed === 'true';
  if (types.has('null') && trimmed === 'null') return null;
  if (types.has('array') && trimmed.startsWith('[')) return parseJson(text);
  if (types.has('object') && trimmed.startsWith('{')) return parseJson(text);
  return types.has('array') && !types.has('string') ? [text] : text;
}

function isNumber(text: string): boolean {
  return text !== '' && text.length <= 40 && Number.isFinite(Number(text));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`A list or object must be JSON: ${reason}`);
  }
}

/**
 * Refuses arguments that a tool's input schema excludes by their type, choices or absence. Limits, patterns and what
 * is inside of lists and objects are left to the tool.
 */
export function checkArguments(
  schema: JsonSchema,
  args: Readonly<Record<string, unknown>>,
  toolName: string,
): void {
  const properties = recordOf(schema['properties']);
  const required = [schema['required']].flat().filter((name) => typeof name === 'string');
  const isMissing = (name: string): boolean =>
    !Object.hasOwn(args, name) && recordOf(properties[name])['default'] === undefined;
  const missing = required.filter(isMissing).map((name) => `"${name}" is missing`);
  const unfit = Object.entries(args).flatMap(([name, value]) =>
    Object.hasOwn(properties, name) && !fits(properties[name], { value, root: schema }, 0)
      ? [`"${name}" wants ${describeWanted(properties[name], schema)}, and got ${short(value)}`]
      : [],
  );
  const wrong = [...missing, ...unfit];
  if (wrong.length === 0) return;
  throw new UsageError(`"${toolName}" was not called: ${wrong.slice(0, maxNamed).join('; ')}`, {
    hint: `\`tutti tools ${toolName}\` shows the arguments it takes.`,
  });
}

/** Arguments that one error names. */
const maxNamed = 10;
const maxShown = 60;

function short(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length <= maxShown ? text : `${text.slice(0, maxShown)}…`;
}

interface Judged {
  readonly value: unknown;
  readonly root: JsonSchema;
}

/** What cannot be read of a schema admits everything. */
function fits(schema: unknown, { value, root }: Judged, depth: number): boolean {
  if (depth > maxSchemaDepth) return true;
  const { type, enum: choices, const: only, anyOf, oneOf, allOf, $ref } = recordOf(schema);
  const types = [type].flat().filter((name) => typeof name === 'string');
  if (types.length > 0 && !types.some((name) => isOfType(value, name))) return false;
  if (Array.isArray(choices) && !choices.some((one) => isSame(one, value))) return false;
  if (only !== undefined && !isSame(only, value)) return false;
  if (typeof $ref === 'string' && !fits(resolveReference($ref, root), { value, root }, depth + 1))
    return false;
  const isFit = (part: unknown): boolean => fits(part, { value, root }, depth + 1);
  const alternatives = [anyOf, oneOf].filter((parts) => Array.isArray(parts));
  return (
    alternatives.every((parts) => parts.length === 0 || parts.some(isFit)) &&
    (!Array.isArray(allOf) || allOf.every(isFit))
  );
}

function isOfType(value: unknown, type: string): boolean {
  if (type === 'integer') return Number.isInteger(value);
  return type === typeOf(value);
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function describeWanted(schema: unknown, root: JsonSchema): string {
  const { enum: choices, const: only } = recordOf(schema);
  if (only !== undefined) return short(only);
  if (Array.isArray(choices)) return `one of ${choices.map(short).join(', ')}`;
  const types = [...typesOf(schema, root, 0)].map((type) => typeWords.get(type) ?? type);
  return types.length === 0 ? 'what its schema describes' : types.join(' or ');
}

const typeWords: ReadonlyMap<string, string> = new Map([
  ['string', 'text'],
  ['number', 'a number'],
  ['integer', 'a whole number'],
  ['boolean', 'true or false'],
  ['array', 'a list'],
  ['object', 'an object'],
]);

/** The JSON types a schema admits; empty when it says nothing about them. */
function typesOf(schema: unknown, root: JsonSchema, depth: number): ReadonlySet<string> {
  if (depth > maxSchemaDepth) return new Set();
  const { type, enum: choices, const: only, anyOf, oneOf, allOf, $ref } = recordOf(schema);
  const types = new Set([type].flat().filter((name) => typeof name === 'string'));
  const values = [
    ...(Array.isArray(choices) ? choices : []),
    ...(only === undefined ? [] : [only]),
  ];
  if (types.size === 0) for (const value of values) types.add(typeOf(value));
  const referred = typeof $ref === 'string' ? [resolveReference($ref, root)] : [];
  for (const part of [anyOf, oneOf, allOf, referred].flatMap((parts) =>
    Array.isArray(parts) ? parts : [],
  )) {
    for (const inner of typesOf(part, root, depth + 1)) types.add(inner);
  }
  return types;
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** A part of a JSON Schema, of which nothing is certain. */
type SchemaPart = Readonly<Record<string, unknown>>;

/** Anything as an object whose members may be asked for. */
export function recordOf(value: unknown): SchemaPart {
  return Object(value);
}

/** `#/$defs/Name` inside the same document; nothing else is followed. */
export function resolveReference(reference: string, root: JsonSchema): unknown {
  const steps = reference.startsWith('#/') ? reference.slice(2).split('/') : [];
  return steps.reduce<unknown>((node, step) => recordOf(node)[step], steps.length > 0 ? root : {});
}

/** One `name=value` of a command line, its value read from where it points to. */
export interface Pair {
  readonly name: string;
  readonly value: string;
}

/** `name=value`; `name=@FILE` and `name=-` take the value from a file or standard input. */
export async function parsePairs(words: readonly string[], io: Io): Promise<readonly Pair[]> {
  const pairs: Pair[] = [];
  let stdinUser: string | undefined;
  for (const word of words) {
    const at = word.indexOf('=');
    if (at < 1) throw new UsageError(notPair(word, io));
    const name = word.slice(0, at);
    const given = word.slice(at + 1);
    if (given === '-' && stdinUser !== undefined) {
      throw new UsageError(`Standard input can be one argument, not both ${stdinUser} and ${name}`);
    }
    if (given === '-') stdinUser = name;
    pairs.push({ name, value: await readValue(given, io) });
  }
  return pairs;
}

function notPair(word: string, { cwd }: Io): string {
  const example = existsSync(resolve(cwd, word)) ? `, such as path=${word},` : ',';
  return `An argument looks like name=value${example} and this is "${word}"`;
}

function readValue(given: string, io: Io): Promise<string> | string {
  if (given === '-') return readInput('-', io);
  if (given.startsWith('@@')) return given.slice(1);
  return given.startsWith('@') ? readInput(given.slice(1), io) : given;
}
