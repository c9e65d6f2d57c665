import type { Json } from '../../contract/plan/index.ts';
import type { Held, Hole, Resolved } from '../engine/activity-data.ts';
import { BadReferenceError, ReferenceToNothingError, TextTooLongError } from './errors.ts';
import {
  followHeld,
  followPath,
  formatPath,
  formatReference,
  readReference,
  type Reference,
} from './reference.ts';

/** A JSON value with its references found. */
export interface Template {
  readonly source: Json;
  readonly references: readonly Reference[];
  /** The same references, each with its place in `source`. */
  readonly places: readonly TemplatePlace[];
  readonly node: TemplateNode;
}

export interface TemplatePlace {
  readonly at: readonly (string | number)[];
  readonly reference: Reference;
  /** The reference is all of the text: its value takes the place as it is, else as text. */
  readonly isWhole: boolean;
}

export type TemplateNode =
  | { readonly kind: 'constant'; readonly value: Json }
  | { readonly kind: 'whole'; readonly reference: Reference }
  | { readonly kind: 'text'; readonly parts: readonly (string | Reference)[] }
  | { readonly kind: 'list'; readonly items: readonly TemplateNode[] }
  | { readonly kind: 'object'; readonly entries: readonly (readonly [string, TemplateNode])[] };

/** What a reference leads to; undefined when there is nothing. */
export type Lookup = (root: string) => Held | undefined;

/** Something wrong within a value, and where. */
export interface TemplateProblem {
  readonly at: readonly (string | number)[];
  readonly message: string;
}

/** Levels of lists and objects within each other. */
const maxDepth = 100;
/** Texts that grow from step to step would else fill the memory. */
const maxTextLength = 67_108_864;

/** Throws `plan.bad_reference` on the first text that cannot be read. */
export function parseTemplate(source: Json): Template {
  const { template, problems } = readTemplate(source);
  const [first] = problems;
  if (first) throw new BadReferenceError(first.message, { details: { at: formatPath(first.at) } });
  return template;
}

/** The same for those who want to know all that is wrong. */
export function readTemplate(source: Json): {
  readonly template: Template;
  readonly problems: readonly TemplateProblem[];
} {
  const found: Findings = { at: [], places: [], problems: [] };
  const node = readNode(source, found);
  const { places, problems } = found;
  const references = places.map((place) => place.reference);
  return { template: { source, references, places, node }, problems };
}

interface Findings {
  /** The place that is being read. */
  readonly at: (string | number)[];
  readonly places: TemplatePlace[];
  readonly problems: TemplateProblem[];
}

function readNode(source: Json, found: Findings): TemplateNode {
  if (typeof source === 'string') return readText(source, found);
  if (typeof source !== 'object' || source === null) return { kind: 'constant', value: source };
  if (found.at.length >= maxDepth) {
    found.problems.push({ at: [...found.at], message: `It is nested more than ${maxDepth} deep` });
    return { kind: 'constant', value: null };
  }
  if (Array.isArray(source)) {
    const items = source.map((item, index) => readInner(item, index, found));
    return items.every(isConstant) ? { kind: 'constant', value: source } : { kind: 'list', items };
  }
  const entries = Object.entries(source).map(
    ([key, value]) => [key, readInner(value, key, found)] as const,
  );
  return entries.every(([, node]) => isConstant(node))
    ? { kind: 'constant', value: source }
    : { kind: 'object', entries };
}

function readInner(source: Json, segment: string | number, found: Findings): TemplateNode {
  found.at.push(segment);
  const node = readNode(source, found);
  found.at.pop();
  return node;
}

/** A text without `$${` stands for itself, so that a value without references is not copied. */
function isConstant(node: TemplateNode): boolean {
  return node.kind === 'constant';
}

function readText(text: string, found: Findings): TemplateNode {
  if (!text.includes('${')) return { kind: 'constant', value: text };
  const parts: (string | Reference)[] = [];
  let done = 0;
  for (let at = text.indexOf('${'); at >= 0; at = text.indexOf('${', done)) {
    if (at > done && text[at - 1] === '$') {
      parts.push(`${text.slice(done, at - 1)}\${`);
      done = at + 2;
      continue;
    }
    const read = readReference(text, at + 2);
    if ('problem' in read) {
      found.problems.push({
        at: [...found.at],
        message: badReference(text.slice(at), read.problem),
      });
      return { kind: 'constant', value: text };
    }
    if (at > done) parts.push(text.slice(done, at));
    parts.push(read.reference);
    done = read.end;
  }
  if (done < text.length) parts.push(text.slice(done));
  return noteText(parts, found);
}

function noteText(parts: readonly (string | Reference)[], found: Findings): TemplateNode {
  const [first] = parts;
  const isWhole = parts.length === 1;
  for (const part of parts) {
    if (typeof part !== 'string')
      found.places.push({ at: [...found.at], reference: part, isWhole });
  }
  if (first !== undefined && typeof first !== 'string' && isWhole) {
    return { kind: 'whole', reference: first };
  }
  return { kind: 'text', parts };
}

const shownLength = 40;

function badReference(text: string, problem: string): string {
  const shown = text.length > shownLength ? `${text.slice(0, shownLength)}…` : text;
  return `"${shown}" is no reference: ${problem}. A literal "\${" is written "$\${"`;
}

/**
 * Puts in what the references lead to; what lies in artifacts leaves holes. Throws
 * `plan.reference_to_nothing` where a reference leads to nothing.
 */
export function resolveTemplate(template: Template, lookup: Lookup): Resolved {
  const { node } = template;
  if (node.kind === 'constant') return { value: node.value };
  const resolving: Resolving = { at: [], holes: [], lookup };
  const value = resolveNode(node, resolving);
  return resolving.holes.length === 0 ? { value } : { value, holes: resolving.holes };
}

interface Resolving {
  readonly at: (string | number)[];
  readonly holes: Hole[];
  readonly lookup: Lookup;
}

function resolveNode(node: TemplateNode, resolving: Resolving): Json {
  switch (node.kind) {
    case 'constant':
      return node.value;
    case 'whole': {
      const held = find(node.reference, resolving.lookup);
      return 'value' in held && held.holes === undefined ? held.value : take([held], resolving);
    }
    case 'text':
      return take(
        node.parts.map((part) => (typeof part === 'string' ? part : asPart(part, resolving))),
        resolving,
      );
    case 'list':
      return node.items.map((item, index) => resolveInner(item, index, resolving));
    case 'object':
      return resolveObject(node.entries, resolving);
  }
}

/** Assigning is quickest, but would make `__proto__` more than a key. */
function resolveObject(
  entries: readonly (readonly [string, TemplateNode])[],
  resolving: Resolving,
): Json {
  const object: Record<string, Json> = {};
  for (const [key, inner] of entries) {
    const value = resolveInner(inner, key, resolving);
    if (key === '__proto__') {
      Object.defineProperty(object, key, {
        value,
        enumerable: true,
        configurable: true,
        writable: true,
      });
    } else object[key] = value;
  }
  return object;
}

function resolveInner(node: TemplateNode, segment: string | number, resolving: Resolving): Json {
  resolving.at.push(segment);
  const value = resolveNode(node, resolving);
  resolving.at.pop();
  return value;
}

function asPart(reference: Reference, { lookup }: Resolving): string | Held {
  const held = find(reference, lookup);
  return 'value' in held && held.holes === undefined ? asText(held.value) : held;
}

/** The value of parts that are all there; else a hole is noted and null keeps the place. */
function take(parts: readonly (string | Held)[], { at, holes }: Resolving): Json {
  const [first] = parts;
  if (parts.length === 1 && typeof first === 'object' && 'value' in first) {
    for (const hole of first.holes ?? [])
      holes.push({ at: [...at, ...hole.at], parts: hole.parts });
    return first.value;
  }
  const texts = parts.filter((part) => typeof part === 'string');
  if (texts.length === parts.length) return joinTexts(texts);
  holes.push({ at: [...at], parts });
  return null;
}

function find(reference: Reference, lookup: Lookup): Held {
  const { root, path } = reference;
  const held = lookup(root);
  if (!held) {
    throw new ReferenceToNothingError(formatReference(reference), `there is no value of "${root}"`);
  }
  const found = followHeld(held, path);
  if (found) return found;
  const shown = formatReference(reference);
  throw new ReferenceToNothingError(shown, `the value of "${root}" has no ${formatPath(path)}`);
}

/** Loads what the holes want and puts it in. Throws as `resolveTemplate`. */
export async function fillHoles(
  resolved: Resolved,
  load: (artifactId: string) => Promise<Json>,
): Promise<Json> {
  let { value } = resolved;
  // Only containers on the way to a hole are copied, each once.
  const copies = new Set<Json>();
  for (const { at, parts } of resolved.holes ?? []) {
    const filling = await fillParts(parts, load);
    value = replaceAt(value, { at, filling, copies });
  }
  return value;
}

async function fillParts(
  parts: readonly (string | Held)[],
  load: (artifactId: string) => Promise<Json>,
): Promise<Json> {
  const values: Json[] = [];
  for (const part of parts)
    values.push(typeof part === 'string' ? part : await loadHeld(part, load));
  const [only] = values;
  if (parts.length === 1 && only !== undefined) return only;
  return joinTexts(values.map(asText));
}

/** The value that is held, from its artifact where it lies in one. */
export async function loadHeld(
  held: Held,
  load: (artifactId: string) => Promise<Json>,
): Promise<Json> {
  if ('value' in held) return await fillHoles(held, load);
  const value = followPath(await load(held.artifact.id), held.path);
  if (value !== undefined) return value;
  throw new ReferenceToNothingError(formatPath(held.path), 'the stored output does not have it');
}

interface Replacement {
  readonly at: readonly (string | number)[];
  readonly filling: Json;
  readonly copies: Set<Json>;
}

function replaceAt(value: Json, { at, filling, copies }: Replacement): Json {
  const [segment, ...rest] = at;
  if (segment === undefined || typeof value !== 'object' || value === null) return filling;
  const copy = copies.has(value) ? value : Array.isArray(value) ? [...value] : { ...value };
  copies.add(copy);
  const present: Json | undefined = Object.getOwnPropertyDescriptor(copy, segment)?.value;
  Object.defineProperty(copy, segment, {
    value: replaceAt(present ?? null, { at: rest, filling, copies }),
    enumerable: true,
    configurable: true,
    writable: true,
  });
  return copy;
}

/** A value within a text: texts as they are, all else as JSON. */
function asText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function joinTexts(texts: readonly string[]): string {
  let length = 0;
  for (const text of texts) length += text.length;
  if (length > maxTextLength) throw new TextTooLongError(maxTextLength);
  return texts.join('');
}
