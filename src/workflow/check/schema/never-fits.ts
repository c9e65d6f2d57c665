import { elementOf, fieldOf } from './follow-type.ts';
import { fitValue, type Fitting } from './fit-value.ts';
import { describeKinds, kind, kindsOf, numberKinds } from './kinds.ts';
import { show, showChoices, showPath } from './mismatch.ts';
import { partsOf, type Effort, type SchemaNode } from './schema-node.ts';

/**
 * Why no value of `source` can ever be one of `target`, as the rest of a sentence; undefined when one
 * could. `isEmptyOnly`: the one value that fits both is the empty list.
 */
export interface Conflict {
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
  if ((shared & ~numberKinds) === 0) return conflictOfRanges(pair);
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

function conflictOfRanges({ source, target }: Pair): Conflict | undefined {
  const [given, wanted] = [rangeOf(source), rangeOf(target)];
  if (given.low > wanted.high)
    return { message: `must be at most ${wanted.high}, and is at least ${given.low}` };
  if (given.high < wanted.low)
    return { message: `must be at least ${wanted.low}, and is at most ${given.high}` };
  return undefined;
}

function rangeOf(node: SchemaNode): { readonly low: number; readonly high: number } {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = partsOf(node).own;
  const bounds = (values: readonly unknown[]): number[] =>
    values.filter((value) => typeof value === 'number');
  return {
    low: Math.max(-Infinity, ...bounds([minimum, exclusiveMinimum])),
    high: Math.min(Infinity, ...bounds([maximum, exclusiveMaximum])),
  };
}
