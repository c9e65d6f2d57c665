import { findComponents } from '../dependencies/find-cycles.ts';
import type { Callee, ComplexityRules } from './complexity-rules.ts';
import { kindOf, lastOf, type FlatTree } from './flat-tree.ts';
import type { MeasuredScope } from './measure-scopes.ts';

/** Indices of the functions that call themselves, directly or through others of the same file. */
export function findRecursion(
  tree: FlatTree,
  rules: ComplexityRules,
  scopes: readonly MeasuredScope[],
): ReadonlySet<number> {
  const calls = findCalls(tree, rules, scopes);
  const members = new Set<number>();
  for (const component of findComponents(calls)) {
    const [first = ''] = component;
    const isCycle = component.length > 1 || calls.get(first)?.includes(first) === true;
    if (isCycle) for (const id of component) members.add(Number(id));
  }
  return members;
}

/** For every scope the functions of the file it calls. */
function findCalls(
  tree: FlatTree,
  { calls: rule, callee: calleeOf }: ComplexityRules,
  scopes: readonly MeasuredScope[],
): ReadonlyMap<string, readonly string[]> {
  const calls = new Map(scopes.map((_, index): [string, string[]] => [String(index), []]));
  if (!rule || !calleeOf) return calls;
  const byKey = groupByKey(scopes, rule.isOverloaded);
  const open: number[] = [];
  let next = 0;
  for (let node = 0; node < tree.kinds.length; node += 1) {
    while (open.length > 0 && lastOf(tree, nodeOf(scopes, open.at(-1))) < node) open.pop();
    for (; scopes[next]?.node === node; next += 1) {
      if (scopes[next]?.type === 'function') open.push(next);
    }
    const caller = open.at(-1);
    if (caller === undefined || kindOf(tree, node) !== rule.kind) continue;
    const callee = calleeOf(tree, node, nodeOf(scopes, caller));
    const key = callee && keyOfCallee(callee, ownerOf(scopes, caller), rule.isOverloaded);
    const named = key === undefined ? undefined : byKey.get(key);
    const target = named?.find((candidate) => isVisible(scopes, candidate, caller));
    if (target !== undefined) calls.get(String(caller))?.push(String(target));
  }
  return calls;
}

function keyOfCallee(
  callee: Callee,
  owner: string | undefined,
  isOverloaded: boolean,
): string | undefined {
  if (callee.of === 'class' && owner === undefined) return undefined;
  const parameters = isOverloaded ? callee.arguments : undefined;
  return keyOf(callee.of === 'class' ? owner : undefined, callee.name, parameters);
}

function nodeOf(scopes: readonly MeasuredScope[], index: number | undefined): number {
  return index === undefined ? 0 : (scopes[index]?.node ?? 0);
}

/** Innermost first, so that the nearest of several functions of one name is found. */
function groupByKey(
  scopes: readonly MeasuredScope[],
  isOverloaded: boolean,
): ReadonlyMap<string, readonly number[]> {
  const byKey = new Map<string, number[]>();
  for (const [index, scope] of scopes.entries()) {
    if (scope.type !== 'function') continue;
    const owner = scopes[scope.outer]?.type === 'class' ? ownerOf(scopes, index) : undefined;
    const key = keyOf(owner, scope.name, isOverloaded ? scope.parameters : undefined);
    const group = byKey.get(key) ?? [];
    if (group.length < maxSameNames) group.unshift(index);
    byKey.set(key, group);
  }
  return byKey;
}

/** Beyond this many functions of one name the rest is not looked at. */
const maxSameNames = 100;

function keyOf(owner: string | undefined, name: string, parameters: number | undefined): string {
  return `${owner === undefined ? '' : `${owner}.`}${name}${parameters === undefined ? '' : `/${parameters}`}`;
}

/** The name of the nearest class around a function. */
function ownerOf(scopes: readonly MeasuredScope[], index: number): string | undefined {
  let scope = scopes[scopes[index]?.outer ?? -1];
  for (let steps = 0; scope && steps < maxSteps; steps += 1) {
    if (scope.type === 'class') return scope.name;
    scope = scopes[scope.outer];
  }
  return undefined;
}

const maxSteps = 64;

/** A function is known in the scope that declares it and in everything inside that scope. */
function isVisible(scopes: readonly MeasuredScope[], candidate: number, caller: number): boolean {
  const home = scopes[candidate]?.outer ?? -1;
  if (home === -1 || scopes[home]?.type === 'class') return true;
  let scope = caller;
  for (let steps = 0; scope !== -1 && steps < maxSteps; steps += 1) {
    if (scope === home) return true;
    scope = scopes[scope]?.outer ?? -1;
  }
  return false;
}
