import { findComponents } from '../dependencies/find-cycles.ts';
import type { CodeTree } from './code-tree.ts';
import type { ComplexityRules } from './complexity-rules.ts';
import type { Scope } from './measure-scopes.ts';

/** The functions that call themselves, directly or through others of the same file. */
export function findRecursion(
  tree: CodeTree,
  rules: ComplexityRules,
  scopes: readonly Scope[],
): readonly Scope[] {
  const calls = findCalls(tree, rules, scopes);
  const recursive = findComponents(calls).filter(
    ([first = '', ...others]) => others.length > 0 || calls.get(first)?.includes(first),
  );
  return recursive.flat().flatMap((id) => scopes[Number(id)] ?? []);
}

/** For every scope the functions of the file it calls, by their indices. */
function findCalls(
  tree: CodeTree,
  { calls: rule, callee: calleeOf }: ComplexityRules,
  scopes: readonly Scope[],
): ReadonlyMap<string, readonly string[]> {
  const calls = new Map(scopes.map((_, index): [string, string[]] => [String(index), []]));
  if (!rule || !calleeOf) return calls;
  const indices = new Map(scopes.map((scope, index) => [scope, String(index)]));
  const functions = scopes.filter(({ type }) => type === 'function');
  const byName = groupByName(functions, rule.isOverloaded);
  const open: Scope[] = [];
  let next = 0;
  for (const node of tree.nodes) {
    while ((open.at(-1)?.node?.last ?? node.index) < node.index) open.pop();
    for (let one = functions[next]; one?.node === node; one = functions[(next += 1)])
      open.push(one);
    const caller = open.at(-1);
    if (!caller?.node || node.kind !== rule.kind) continue;
    const callee = calleeOf(node, caller.node);
    const owner = callee?.of === 'class' ? ownerOf(caller) : '';
    if (!callee || owner === undefined) continue;
    const named = byName.get(keyOf(owner, callee.name, rule.isOverloaded && callee.arguments));
    const target = named?.find((candidate) => isVisible(candidate, caller));
    if (target) calls.get(indices.get(caller) ?? '')?.push(indices.get(target) ?? '');
  }
  return calls;
}

/** Beyond this many functions of one name the rest is ignored. */
const maxSameNames = 100;

/** Innermost first, so that the nearest of several functions of one name is found. */
function groupByName(
  functions: readonly Scope[],
  isOverloaded: boolean,
): ReadonlyMap<string, readonly Scope[]> {
  const groups = new Map<string, Scope[]>();
  for (const one of functions) {
    const owner = one.outer?.type === 'class' ? one.outer.name : '';
    const key = keyOf(owner, one.name, isOverloaded && one.parameters);
    const group = groups.get(key) ?? [];
    if (group.length < maxSameNames) group.unshift(one);
    groups.set(key, group);
  }
  return groups;
}

function keyOf(owner: string, name: string, parameters: number | false): string {
  return `${owner === '' ? '' : `${owner}.`}${name}${parameters === false ? '' : `/${parameters}`}`;
}

const maxSteps = 64;

/** The name of the nearest class around a function. */
function ownerOf(scope: Scope): string | undefined {
  let around = scope.outer;
  for (let steps = 0; around && steps < maxSteps; steps += 1) {
    if (around.type === 'class') return around.name;
    around = around.outer;
  }
  return undefined;
}

/** A function is known in the scope that declares it and in everything inside that scope. */
function isVisible({ outer: home }: Scope, caller: Scope): boolean {
  if (!home || home.type === 'file' || home.type === 'class') return true;
  let around: Scope | undefined = caller;
  for (let steps = 0; around && steps < maxSteps; steps += 1) {
    if (around === home) return true;
    around = around.outer;
  }
  return false;
}
