import type { ComplexityRules, NodeRule, RegionRule, ScopeRule } from './complexity-rules.ts';
import {
  childIn,
  childOfKind,
  endOf,
  fieldOf,
  kindOf,
  lastOf,
  noNode,
  parentOf,
  type FlatTree,
} from './flat-tree.ts';
import { startSequences, type Sequences } from './logical-sequences.ts';

/** A function, a class or an initialiser with what was counted in it. */
export interface MeasuredScope {
  readonly node: number;
  readonly type: ScopeRule['type'];
  /** The types of the scopes around it and its own, outermost first: `cf` is a method. */
  readonly path: string;
  /** Its own name; what surrounds it is `outer`. */
  readonly name: string;
  readonly start: number;
  readonly end: number;
  readonly parameters: number;
  /** Index of the scope directly around it, or -1 for the file. */
  readonly outer: number;
  /** Cyclomatic complexity is one more than this. */
  decisions: number;
  cognitive: number;
  /** The deepest control structure: 1 for an `if` that stands alone. */
  nesting: number;
  /** Whether what is inside counts for the function around it too. */
  readonly isSeenFromOutside: boolean;
}

export interface MeasuredTree {
  readonly scopes: readonly MeasuredScope[];
  /** Decision points of the whole text, and of what stands outside any scope. */
  readonly decisions: number;
  readonly topLevelDecisions: number;
  /** Cognitive complexity of the outermost functions and of what stands outside them. */
  readonly cognitive: number;
}

/** Longer paths say nothing that anybody asks about, and would grow with the square of the depth. */
const maxPathLength = 8;

/** A scope while it is open, and the file itself at the bottom. */
interface Frame {
  readonly scope: MeasuredScope | undefined;
  readonly index: number;
  readonly rule: ScopeRule | undefined;
  /** Nesting at which the scope begins, and to which it returns. */
  readonly base: number;
  readonly nestingAround: number;
  readonly isInFunction: boolean;
  decisions: number;
  cognitive: number;
  /** How many increments in it grow with nesting. */
  structures: number;
  deepest: number;
}

/** What ends with node `last`: a scope, or a region one level deeper than its surroundings. */
interface Level {
  readonly last: number;
  readonly frame: Frame | undefined;
}

interface Measuring {
  readonly tree: FlatTree;
  readonly rules: ComplexityRules;
  readonly regions: ReadonlyMap<string, ReadonlyMap<string, RegionRule>>;
  readonly scopes: MeasuredScope[];
  readonly frames: Frame[];
  readonly levels: Level[];
  readonly sequences: Sequences;
  readonly file: Frame;
  nesting: number;
  decisions: number;
  /** Up to this node no decisions are counted. */
  blindUntil: number;
}

/** Counts decisions, cognitive increments and nesting for every scope in one pass. */
export function measureScopes(tree: FlatTree, rules: ComplexityRules): MeasuredTree {
  const state = startMeasuring(tree, rules);
  for (let node = 0; node < tree.kinds.length; node += 1) {
    leaveBefore(state, node);
    enter(state, node);
  }
  leaveBefore(state, tree.kinds.length);
  return {
    scopes: state.scopes,
    decisions: state.decisions,
    topLevelDecisions: state.file.decisions,
    cognitive: state.file.cognitive,
  };
}

const nothingCounted = { decisions: 0, cognitive: 0, structures: 0, deepest: 0 };

function startMeasuring(tree: FlatTree, rules: ComplexityRules): Measuring {
  const file: Frame = {
    ...nothingCounted,
    scope: undefined,
    index: noNode,
    rule: undefined,
    base: 0,
    nestingAround: 0,
    isInFunction: false,
  };
  return {
    tree,
    rules,
    regions: groupRegions(rules.regions),
    scopes: [],
    frames: [file],
    levels: [],
    sequences: startSequences(tree, rules),
    file,
    nesting: 0,
    decisions: 0,
    blindUntil: noNode,
  };
}

function groupRegions(
  regions: ComplexityRules['regions'],
): ReadonlyMap<string, ReadonlyMap<string, RegionRule>> {
  const grouped = new Map<string, Map<string, RegionRule>>();
  for (const [key, rule] of Object.entries(regions)) {
    const [parent = '', field = ''] = key.split('.');
    const fields = grouped.get(parent) ?? new Map<string, RegionRule>();
    grouped.set(parent, fields.set(field, rule));
  }
  return grouped;
}

function enter(state: Measuring, node: number): void {
  const { tree, rules } = state;
  const kind = kindOf(tree, node);
  const field = fieldOf(tree, node);
  const parentKind = kindOf(tree, parentOf(tree, node));
  const place = field === '' ? '' : `${parentKind}.${field}`;
  if (rules.withoutDecisions.has(place)) blind(state, node);
  if (field !== '') enterRegion(state, node, place);
  const rule = ruleFor(state, node);
  if (rule) apply(state, node, rule);
  if (rules.withoutDecisions.has(kind)) blind(state, node);
  const scope = rules.scopes[kind]?.find(
    ({ when }) => when === undefined || rules.conditions?.[when]?.(tree, node),
  );
  if (scope) openScope(state, node, scope);
  if (rule?.nests) deepen(state, node);
  if (state.sequences.isNewRun(node)) current(state).cognitive += 1;
}

function enterRegion(state: Measuring, node: number, place: string): void {
  const { tree, rules } = state;
  const kind = kindOf(tree, node);
  const region = state.regions.get(kindOf(tree, parentOf(tree, node)))?.get(fieldOf(tree, node));
  if (region && !region.except?.includes(kind)) {
    if (region.cognitive === 'flat') current(state).cognitive += 1;
    if (region.nests) deepen(state, node);
  }
  const scope = rules.regionScopes[place];
  if (scope) openScope(state, node, scope);
}

function ruleFor({ tree, rules }: Measuring, node: number): NodeRule | undefined {
  return rules.nodes[kindOf(tree, node)]?.find(
    (rule) =>
      (!rule.under || rule.under.includes(kindOf(tree, parentOf(tree, node)))) &&
      (rule.field === undefined || rule.field === fieldOf(tree, node)) &&
      (rule.having === undefined || childOfKind(tree, node, rule.having) !== noNode) &&
      (rule.havingField === undefined || childIn(tree, node, rule.havingField) !== noNode),
  );
}

function apply(state: Measuring, node: number, rule: NodeRule): void {
  const frame = current(state);
  if (rule.decision && node > state.blindUntil) {
    frame.decisions += 1;
    state.decisions += 1;
  }
  if (rule.cognitive === 'flat') frame.cognitive += 1;
  if (rule.cognitive === 'nested') {
    const depth = state.nesting - frame.base + 1;
    frame.cognitive += depth;
    frame.structures += 1;
    frame.deepest = Math.max(frame.deepest, depth);
  }
}

function blind(state: Measuring, node: number): void {
  state.blindUntil = Math.max(state.blindUntil, lastOf(state.tree, node));
}

function deepen(state: Measuring, node: number): void {
  state.nesting += 1;
  state.levels.push({ last: lastOf(state.tree, node), frame: undefined });
}

function openScope(state: Measuring, node: number, rule: ScopeRule): void {
  const { tree, rules } = state;
  const outer = current(state);
  const nestingAround = state.nesting;
  const isNested = rule.cognitive === 'nested' && outer.isInFunction;
  if (rule.cognitive === 'alone') state.nesting = 0;
  else if (isNested && !rules.isWrapped?.(tree, node)) state.nesting += 1;
  const { name, start, parameters } = rules.describe(tree, node, rule.type);
  const scope: MeasuredScope = {
    node,
    type: rule.type,
    path: (outer.scope?.path ?? '').slice(0, maxPathLength) + rule.type.charAt(0),
    name,
    start,
    end: endOf(tree, node),
    parameters,
    outer: outer.index,
    decisions: 0,
    cognitive: 0,
    nesting: 0,
    isSeenFromOutside: rule.cognitive !== 'alone',
  };
  const frame: Frame = {
    ...nothingCounted,
    scope,
    index: state.scopes.push(scope) - 1,
    rule,
    base: state.nesting,
    nestingAround,
    isInFunction: outer.isInFunction || rule.type === 'function' || rule.type === 'lambda',
  };
  state.frames.push(frame);
  state.levels.push({ last: lastOf(tree, node), frame });
}

function leaveBefore(state: Measuring, node: number): void {
  for (let level = state.levels.at(-1); level && level.last < node; level = state.levels.at(-1)) {
    state.levels.pop();
    if (level.frame) closeScope(state, level.frame);
    else state.nesting -= 1;
  }
}

function closeScope(state: Measuring, frame: Frame): void {
  state.frames.pop();
  state.nesting = frame.nestingAround;
  const outer = current(state);
  const { scope, rule } = frame;
  if (!scope || !rule) return;
  scope.decisions = frame.decisions;
  scope.cognitive = frame.cognitive;
  scope.nesting = frame.deepest;
  if (!rule.ownsDecisions) outer.decisions += frame.decisions;
  if (!outer.isInFunction) {
    // Outside functions nothing surrounds it that a reader must keep in mind.
    outer.cognitive += frame.cognitive;
  } else if (rule.cognitive === 'alone') {
    state.file.cognitive += frame.cognitive;
  } else {
    const levels = frame.base - outer.base;
    outer.cognitive += frame.cognitive + frame.structures * levels;
    outer.structures += frame.structures;
    outer.deepest = Math.max(outer.deepest, frame.deepest > 0 ? frame.deepest + levels : 0);
  }
}

function current(state: Measuring): Frame {
  return state.frames.at(-1) ?? state.file;
}
