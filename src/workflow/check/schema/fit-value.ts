import { pluralize, nearest } from '../../../kernel/index.ts';
import { fitChoices, fitNumber, fitText, rangeConflict } from './fit-scalar.ts';
import { elementOf, fieldOf } from './follow-type.ts';
import {
  describeKinds,
  kind,
  kindOfValue,
  kindsOf,
  show,
  showChoices,
  type Mismatch,
  isRecord,
  partsOf,
  type Effort,
  type SchemaNode,
  numberKinds,
  showPath,
} from './schema-node.ts';
import type { TestPattern } from './test-pattern.ts';

/** Stands in a value for what a reference will give; texts with references in them are texts. */
export class Given {
  readonly node: SchemaNode;
  /** As the plan writes it. */
  readonly shown: string;

  constructor(node: SchemaNode, shown: string) {
    this.node = node;
    this.shown = shown;
  }
}

interface Fitting {
  readonly effort: Effort;
  readonly testPattern: TestPattern;
}

/** Of one list or object; this many wrong elements are one mistake many times. */
const maxMismatches = 50;

type At = readonly (string | number)[];

/**
 * Where a value with references in it does not fit a schema. Keywords it does not know hold for it; a
 * reference fails only when nothing it can give fits.
 */
export function fitValue(value: unknown, node: SchemaNode, fitting: Fitting): Mismatch[] {
  return fitAt(value, node, { fitting, at: [] });
}

interface Place {
  readonly fitting: Fitting;
  readonly at: At;
}

function fitAt(value: unknown, node: SchemaNode, place: Place): Mismatch[] {
  const { fitting, at } = place;
  return fitting.effort.spend<Mismatch[]>([], () => {
    if (value instanceof Given) return fitGiven(value, node, place);
    const { own, all, groups } = partsOf(node);
    const wanted = kindsOf(node, fitting.effort);
    if (wanted !== 0 && (kindOfValue(value) & wanted) === 0) {
      return [
        { is: 'value', at, message: `must be ${expected(own, wanted)}, and is ${show(value)}` },
      ];
    }
    const found = fitOwn(value, node, place);
    for (const part of all) found.push(...fitAt(value, part, place));
    for (const group of groups) found.push(...fitGroup(value, group, place));
    return found;
  });
}

function expected(own: Readonly<Record<string, unknown>>, kinds: number): string {
  if (own['const'] !== undefined) return show(own['const']);
  return Array.isArray(own['enum']) ? `one of ${showChoices(own['enum'])}` : describeKinds(kinds);
}

function fitGiven(given: Given, target: SchemaNode, { fitting, at }: Place): Mismatch[] {
  const conflict = neverFits(given.node, target, fitting);
  if (!conflict) return [];
  const is = conflict.isEmptyOnly ? 'empty' : 'type';
  return [{ is, at, message: `${conflict.message} (${given.shown})` }];
}

/** One of them must fit; what is said is about the one that came closest. */
function fitGroup(
  value: unknown,
  group: readonly SchemaNode[],
  { fitting, at }: Place,
): Mismatch[] {
  let best: Mismatch[] | undefined;
  for (const part of group) {
    const found = fitAt(value, part, { fitting, at });
    if (found.length === 0) return [];
    if (!best || closeness(found, at) > closeness(best, at)) best = found;
  }
  return best ?? [];
}

/** A mismatch further inside, and fewer of them, mean that more did fit. */
function closeness(found: readonly Mismatch[], at: At): number {
  const depth = Math.min(
    ...found.map((mismatch) => mismatch.at.length + (mismatch.is === 'value' ? 0 : 1)),
  );
  return (depth - at.length) * 1_000 - found.length;
}

function fitOwn(value: unknown, node: SchemaNode, place: Place): Mismatch[] {
  const { own } = partsOf(node);
  const outright = fitChoices(value, own);
  if (outright !== undefined) return [{ is: 'value', at: place.at, message: outright }];
  switch (kindOfValue(value)) {
    case kind.string:
      return fitText(String(value), own, { testPattern: place.fitting.testPattern, at: place.at });
    case kind.integer:
    case kind.fraction:
      return fitNumber(Number(value), own, place.at);
    case kind.array:
      return Array.isArray(value) ? fitList(value, node, place) : [];
    case kind.object:
      return isRecord(value) ? fitObject(value, node, place) : [];
    default:
      return [];
  }
}

/** Of a longer list the rest is not looked at: it would repeat the same mistake. */
const maxElements = 10_000;

function fitList(list: readonly unknown[], node: SchemaNode, { fitting, at }: Place): Mismatch[] {
  const { minItems, maxItems, items, prefixItems } = partsOf(node).own;
  const found: Mismatch[] = [];
  if (typeof minItems === 'number' && list.length < minItems) {
    found.push({
      is: 'value',
      at,
      message: `must have at least ${pluralize(minItems, 'element')}, and has ${list.length}`,
    });
  }
  if (typeof maxItems === 'number' && list.length > maxItems) {
    found.push({
      is: 'value',
      at,
      message: `must have at most ${pluralize(maxItems, 'element')}, and has ${list.length}`,
    });
  }
  if (items === undefined && prefixItems === undefined) return found;
  const element =
    prefixItems === undefined
      ? elementOf({ schema: { items }, root: node.root }, fitting.effort)
      : undefined;
  for (const [index, value] of list.slice(0, maxElements).entries()) {
    if (found.length >= maxMismatches) break;
    const field = element ?? elementAt(node, index, fitting.effort);
    if (field) found.push(...fitAt(value, field, { fitting, at: [...at, index] }));
    else found.push({ is: 'value', at: [...at, index], message: 'is one element too many' });
  }
  return found;
}

function elementAt(node: SchemaNode, index: number, effort: Effort): SchemaNode | undefined {
  const field = fieldOf({ schema: ownListKeywords(node), root: node.root }, index, effort);
  if (field.is === 'found') return field.node;
  return field.is === 'absent' ? undefined : { schema: true, root: true };
}

function ownListKeywords(node: SchemaNode): Readonly<Record<string, unknown>> {
  const { items, prefixItems } = partsOf(node).own;
  return {
    ...(items !== undefined && { items }),
    ...(prefixItems !== undefined && { prefixItems }),
  };
}

function fitObject(
  value: Readonly<Record<string, unknown>>,
  node: SchemaNode,
  { fitting, at }: Place,
): Mismatch[] {
  const { own } = partsOf(node);
  const found: Mismatch[] = [];
  for (const name of Array.isArray(own['required']) ? own['required'] : []) {
    if (typeof name !== 'string' || Object.hasOwn(value, name)) continue;
    found.push({ is: 'missing', at: [...at, name], message: 'is required, and is missing' });
  }
  const { properties, additionalProperties, patternProperties } = own;
  const fields = {
    ...(properties !== undefined && { properties }),
    ...(additionalProperties !== undefined && { additionalProperties }),
    ...(patternProperties !== undefined && { patternProperties }),
  };
  for (const [name, inner] of Object.entries(value)) {
    if (found.length >= maxMismatches) break;
    const field = fieldOf({ schema: fields, root: node.root }, name, fitting.effort);
    if (field.is === 'found')
      found.push(...fitAt(inner, field.node, { fitting, at: [...at, name] }));
    else if (field.is === 'absent')
      found.push(unknownField(name, field.known, { value, at: [...at, name] }));
  }
  return found;
}

function unknownField(
  name: string,
  known: readonly string[],
  { value, at }: { readonly value: Readonly<Record<string, unknown>>; readonly at: At },
): Mismatch {
  const close = nearest(
    name,
    known.filter((other) => !Object.hasOwn(value, other)),
  );
  const others = known.length > 0 ? `; known: ${showChoices(known)}` : '';
  return {
    is: 'unknown',
    at,
    message: `is not known${close === undefined ? others : `; did you mean ${show(close)}?`}`,
  };
}

/** Fields the schema does not name although it names others: allowed, and most likely misspelt. */
export function unlistedFields(
  value: Readonly<Record<string, unknown>>,
  node: SchemaNode,
  effort: Effort,
): Mismatch[] {
  const found: Mismatch[] = [];
  for (const name of Object.keys(value)) {
    if (found.length >= maxMismatches) break;
    const field = fieldOf(node, name, effort);
    if (field.is === 'unlisted') found.push(unknownField(name, field.known, { value, at: [name] }));
  }
  return found;
}

/**
 * Why no value of `source` can ever be one of `target`, as the rest of a sentence; undefined when one
 * could. `isEmptyOnly`: the one value that fits both is the empty list.
 */
interface Conflict {
  readonly message: string;
  readonly isEmptyOnly?: true;
}

export function neverFits(
  source: SchemaNode,
  target: SchemaNode,
  fitting: Fitting,
): Conflict | undefined {
  return fitting.effort.spend<Conflict | undefined>(undefined, () => {
    const { effort } = fitting;
    const [from, to] = [kindsOf(source, effort), kindsOf(target, effort)];
    // A schema nothing fits is the server's mistake, not the plan's.
    if (from === 0 || to === 0) return undefined;
    if ((from & to) === 0) {
      return { message: `must be ${describeKinds(to)}, and is ${describeKinds(from)}` };
    }
    const [parts, wanted] = [partsOf(source), partsOf(target)];
    return (
      firstConflict(parts.all, (part) => neverFits(part, target, fitting)) ??
      firstConflict(wanted.all, (part) => neverFits(source, part, fitting)) ??
      firstConflict(parts.groups, (group) =>
        everyConflict(group, (part) => neverFits(part, target, fitting)),
      ) ??
      firstConflict(wanted.groups, (group) =>
        everyConflict(group, (part) => neverFits(source, part, fitting)),
      ) ??
      conflictOfValues(source, target, fitting) ??
      conflictOfKind(from & to, { source, target }, fitting)
    );
  });
}

function firstConflict<Part>(
  parts: readonly Part[],
  compare: (part: Part) => Conflict | undefined,
): Conflict | undefined {
  for (const part of parts) {
    const conflict = compare(part);
    if (conflict) return conflict;
  }
  return undefined;
}

function everyConflict(
  parts: readonly SchemaNode[],
  compare: (part: SchemaNode) => Conflict | undefined,
): Conflict | undefined {
  let weakest: Conflict | undefined;
  for (const part of parts) {
    const conflict = compare(part);
    if (!conflict) return undefined;
    if (!weakest?.isEmptyOnly) weakest = conflict;
  }
  return weakest;
}

/** Where one side names its values, each is tried on the other side. */
function conflictOfValues(
  source: SchemaNode,
  target: SchemaNode,
  fitting: Fitting,
): Conflict | undefined {
  const given = ownValues(source);
  if (given?.every((value) => !isFitting(value, target, fitting))) {
    return {
      message: `must be ${describeType(target, fitting.effort)}, and is one of ${showChoices(given)}`,
    };
  }
  const allowed = ownValues(target);
  if (allowed?.every((value) => !isFitting(value, source, fitting))) {
    return { message: `must be one of ${showChoices(allowed)}, and can be none of them` };
  }
  return undefined;
}

function isFitting(value: unknown, node: SchemaNode, fitting: Fitting): boolean {
  return fitValue(value, node, fitting).length === 0;
}

function ownValues(node: SchemaNode): readonly unknown[] | undefined {
  const { own } = partsOf(node);
  if (own['const'] !== undefined) return [own['const']];
  const values = own['enum'];
  return Array.isArray(values) && values.length > 0 ? values : undefined;
}

/** What values of a type are, in words. */
export function describeType(node: SchemaNode, effort: Effort): string {
  const values = ownValues(node);
  return values ? `one of ${showChoices(values)}` : describeKinds(kindsOf(node, effort));
}

interface Pair {
  readonly source: SchemaNode;
  readonly target: SchemaNode;
}

/** What only values of one kind have; decides when there is no other kind the two share. */
function conflictOfKind(shared: number, pair: Pair, fitting: Fitting): Conflict | undefined {
  if (shared === kind.object) return conflictOfObjects(pair, fitting);
  if (shared === kind.array) return conflictOfLists(pair, fitting);
  if ((shared & ~numberKinds) === 0) {
    const message = rangeConflict(partsOf(pair.source).own, partsOf(pair.target).own);
    return message === undefined ? undefined : { message };
  }
  return undefined;
}

function conflictOfObjects({ source, target }: Pair, fitting: Fitting): Conflict | undefined {
  for (const name of requiredNames(target)) {
    const given = fieldOf(source, name, fitting.effort);
    if (given.is === 'absent') return { message: `needs a field "${name}", which it never has` };
    const wanted = fieldOf(target, name, fitting.effort);
    if (given.is !== 'found' || wanted.is !== 'found') continue;
    const conflict = neverFits(given.node, wanted.node, fitting);
    if (conflict && !conflict.isEmptyOnly) {
      return { message: `does not fit: its field "${showPath([name])}" ${conflict.message}` };
    }
  }
  for (const name of requiredNames(source)) {
    if (fieldOf(target, name, fitting.effort).is === 'absent') {
      return { message: `must not have a field ${show(name)}, which it always has` };
    }
  }
  return undefined;
}

function requiredNames(node: SchemaNode): readonly string[] {
  const names = partsOf(node).own['required'];
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
}

function conflictOfLists({ source, target }: Pair, fitting: Fitting): Conflict | undefined {
  const conflict = neverFits(
    elementOf(source, fitting.effort),
    elementOf(target, fitting.effort),
    fitting,
  );
  if (!conflict || conflict.isEmptyOnly) return undefined;
  const message = `is a list whose elements do not fit: each ${conflict.message}`;
  const neverEmpty = [source, target].some(
    (node) => Number(partsOf(node).own['minItems'] ?? 0) > 0,
  );
  return neverEmpty ? { message } : { message, isEmptyOnly: true };
}
