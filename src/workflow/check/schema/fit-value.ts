import { counted, nearest } from '../../../kernel/index.ts';
import { elementOf, fieldOf } from './follow-type.ts';
import { describeKinds, kind, kindOfValue, kindsOf } from './kinds.ts';
import { show, showChoices, type Mismatch } from './mismatch.ts';
import { neverFits } from './never-fits.ts';
import { isRecord, partsOf, type Effort, type SchemaNode } from './schema-node.ts';
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

export interface Fitting {
  readonly effort: Effort;
  readonly testPattern: TestPattern;
}

/** Of one list or object; who has this many wrong elements has one mistake many times. */
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
      return fitText(String(value), own, place);
    case kind.integer:
    case kind.fraction:
      return fitNumber(Number(value), own, place);
    case kind.array:
      return Array.isArray(value) ? fitList(value, node, place) : [];
    case kind.object:
      return isRecord(value) ? fitObject(value, node, place) : [];
    default:
      return [];
  }
}

function fitChoices(value: unknown, own: Readonly<Record<string, unknown>>): string | undefined {
  const choices = own['const'] !== undefined ? [own['const']] : own['enum'];
  // Lists and objects among the choices are rare, and may hold what a reference gives.
  if (!Array.isArray(choices) || (typeof value === 'object' && value !== null)) return undefined;
  if (choices.includes(value) || choices.length === 0) return undefined;
  const close =
    typeof value === 'string'
      ? nearest(
          value,
          choices.filter((choice) => typeof choice === 'string'),
        )
      : undefined;
  const hint = close === undefined ? '' : `; did you mean ${show(close)}?`;
  return choices.length === 1
    ? `must be ${show(choices[0])}, and is ${show(value)}`
    : `must be one of ${showChoices(choices)}, and is ${show(value)}${hint}`;
}

function fitText(
  text: string,
  own: Readonly<Record<string, unknown>>,
  { fitting, at }: Place,
): Mismatch[] {
  const found: Mismatch[] = [];
  const { minLength, maxLength, pattern } = own;
  // A character outside the first plane counts once; the exact count matters only near a limit.
  const length = text.length > 100_000 ? text.length : Array.from(text).length;
  if (typeof minLength === 'number' && length < minLength) {
    const what = length === 0 ? 'is empty' : `has ${length}`;
    found.push({
      is: 'value',
      at,
      message: `must have at least ${counted(minLength, 'character')}, and ${what}`,
    });
  }
  if (typeof maxLength === 'number' && length > maxLength) {
    found.push({
      is: 'value',
      at,
      message: `must have at most ${maxLength} characters, and has ${length}`,
    });
  }
  if (typeof pattern === 'string' && fitting.testPattern(pattern, text) === false) {
    found.push({
      is: 'value',
      at,
      message: `must match the pattern ${pattern}, and is ${show(text)}`,
    });
  }
  return found;
}

function fitNumber(
  value: number,
  own: Readonly<Record<string, unknown>>,
  { at }: Place,
): Mismatch[] {
  const limits: readonly (readonly [
    keyword: string,
    words: string,
    holds: (limit: number) => boolean,
  ])[] = [
    ['minimum', 'at least', (limit) => value >= limit],
    ['maximum', 'at most', (limit) => value <= limit],
    ['exclusiveMinimum', 'more than', (limit) => value > limit],
    ['exclusiveMaximum', 'less than', (limit) => value < limit],
    ['multipleOf', 'a multiple of', (limit) => limit <= 0 || isMultiple(value, limit)],
  ];
  return limits.flatMap(([keyword, words, holds]) => {
    const limit = own[keyword];
    if (typeof limit !== 'number' || holds(limit)) return [];
    return [{ is: 'value' as const, at, message: `must be ${words} ${limit}, and is ${value}` }];
  });
}

/** 0.3 is a multiple of 0.1, although dividing says 2.9999999999999996. */
function isMultiple(value: number, step: number): boolean {
  const times = value / step;
  return Math.abs(times - Math.round(times)) < 1e-9 * Math.max(1, Math.abs(times));
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
      message: `must have at least ${counted(minItems, 'element')}, and has ${list.length}`,
    });
  }
  if (typeof maxItems === 'number' && list.length > maxItems) {
    found.push({
      is: 'value',
      at,
      message: `must have at most ${counted(maxItems, 'element')}, and has ${list.length}`,
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
