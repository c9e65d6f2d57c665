import type { Json } from '../../contract/plan/index.ts';
import type { Comparison, ConditionNode } from './read-condition.ts';
import { readCondition } from './read-condition.ts';
import { followHeld } from './follow-path.ts';
import type { Reference } from './reference.ts';
import type { Lookup } from './template.ts';

/** A parsed `when`. */
export interface Condition {
  readonly text: string;
  readonly references: readonly Reference[];
  readonly node: ConditionNode;
}

/** Throws `plan.bad_condition`. */
export function parseCondition(text: string): Condition {
  return { text, ...readCondition(text) };
}

/**
 * `unloaded` when a value is needed that lies in an artifact: then an activity has to look. A value by
 * itself holds unless it is false, null, 0, the empty text or nothing.
 */
export function evaluateCondition(condition: Condition, lookup: Lookup): boolean | 'unloaded' {
  const value = evaluate(condition.node, lookup);
  return value === unloaded ? 'unloaded' : Boolean(value);
}

const unloaded = Symbol('unloaded');
type Value = Json | undefined | typeof unloaded;

/** Conditions are read with a limit on their depth, which limits the recursion here. */
function evaluate(node: ConditionNode, lookup: Lookup): Value {
  switch (node.kind) {
    case 'literal':
      return node.value;
    case 'reference':
      return valueOf(node.reference, lookup);
    case 'exists':
      return exists(node.reference, lookup);
    case 'not': {
      const value = evaluate(node.part, lookup);
      return value === unloaded ? unloaded : !value;
    }
    case 'all':
    case 'any':
      return evaluateParts(node, lookup);
    case 'compare': {
      const left = evaluate(node.left, lookup);
      const right = evaluate(node.right, lookup);
      if (left === unloaded || right === unloaded) return unloaded;
      return compare(left, node.comparison, right);
    }
  }
}

/** From left to right, until the answer is clear. */
function evaluateParts(
  node: { readonly kind: 'all' | 'any'; readonly parts: readonly ConditionNode[] },
  lookup: Lookup,
): Value {
  const deciding = node.kind === 'any';
  for (const part of node.parts) {
    const value = evaluate(part, lookup);
    if (value === unloaded) return unloaded;
    if (Boolean(value) === deciding) return deciding;
  }
  return !deciding;
}

function valueOf({ root, path }: Reference, lookup: Lookup): Value {
  const held = lookup(root);
  const found = held && followHeld(held, path);
  if (!found) return undefined;
  return 'value' in found && found.holes === undefined ? found.value : unloaded;
}

function exists({ root, path }: Reference, lookup: Lookup): Value {
  const held = lookup(root);
  const found = held && followHeld(held, path);
  if (!found) return false;
  return 'value' in found || found.path.length === 0 ? true : unloaded;
}

/** Nothing equals nothing else: with it only `!=` holds. Texts and numbers have an order. */
function compare(left: Json | undefined, comparison: Comparison, right: Json | undefined): boolean {
  if (left === undefined || right === undefined) return comparison === '!=';
  if (comparison === '==') return isSame(left, right);
  if (comparison === '!=') return !isSame(left, right);
  if (typeof left === 'number' && typeof right === 'number')
    return inOrder(left, comparison, right);
  return typeof left === 'string' && typeof right === 'string' && inOrder(left, comparison, right);
}

function inOrder<Ordered extends number | string>(
  left: Ordered,
  comparison: '<' | '<=' | '>' | '>=',
  right: Ordered,
): boolean {
  switch (comparison) {
    case '<':
      return left < right;
    case '<=':
      return left <= right;
    case '>':
      return left > right;
    case '>=':
      return left >= right;
  }
}

/** Equal as JSON, whatever the order of keys; pairs to compare are kept in a list, not on the stack. */
function isSame(left: Json, right: Json): boolean {
  const pairs: [Json, Json | undefined][] = [[left, right]];
  for (let pair = pairs.pop(); pair; pair = pairs.pop()) {
    const [a, b] = pair;
    if (a === b) continue;
    if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
    if (Array.isArray(a) !== Array.isArray(b)) return false;
    const keys = Object.keys(a);
    if (keys.length !== Object.keys(b).length) return false;
    for (const key of keys) {
      const [inA, inB] = [own(a, key), own(b, key)];
      if (inA === undefined || inB === undefined) return false;
      pairs.push([inA, inB]);
    }
  }
  return true;
}

function own(value: object, key: string): Json | undefined {
  return Object.getOwnPropertyDescriptor(value, key)?.value;
}
