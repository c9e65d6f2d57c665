import type { CodeNode, CodeTree } from './code-tree.ts';
import {
  operatorOf,
  type ComplexityRules,
  type NodeRule,
  type ScopeRule,
} from './complexity-rules.ts';

/** A function, a class or an initialiser with its counts, or the file itself. */
export interface Scope {
  readonly type: ScopeRule['type'] | 'file';
  readonly node: CodeNode | undefined;
  /** Its own name, without those of the scopes around it. */
  readonly name: string;
  readonly start: number;
  readonly parameters: number;
  /** The scope directly around it; undefined for the file. */
  readonly outer: Scope | undefined;
  readonly ownsDecisions: boolean;
  readonly cognitiveRule: ScopeRule['cognitive'];
  readonly isInFunction: boolean;
  /** Nesting at which it begins, and to which its end returns. */
  readonly base: number;
  readonly nestingAround: number;
  /** Cyclomatic complexity is one more than this. */
  decisions: number;
  cognitive: number;
  /** How many cognitive increments in it grow with nesting. */
  structures: number;
  /** The deepest control structure: 1 for an `if` that stands alone. */
  nesting: number;
}

export interface MeasuredTree {
  /** In source order, without the file. */
  readonly scopes: readonly Scope[];
  /** Code outside any scope, and the cognitive complexity of the outermost functions. */
  readonly file: Scope;
  /** Decision points of the whole text. */
  readonly decisions: number;
}

/** Counts decisions, cognitive increments and nesting for every scope in one pass. */
export function measureScopes(tree: CodeTree, rules: ComplexityRules): MeasuredTree {
  const measuring = new Measuring(rules);
  for (const node of tree.nodes) {
    measuring.leaveBefore(node.index);
    measuring.enter(node);
  }
  measuring.leaveBefore(tree.nodes.length);
  return measuring;
}

/** A scope, or a region one level deeper than its surroundings, that ends with node `last`. */
interface Level {
  readonly last: number;
  readonly scope: Scope | undefined;
}

/** A sequence of logical operators; `a && b && c || d` has two runs. */
interface LogicalSequence {
  readonly isFree: boolean;
  operator: string;
}

const nothingCounted = { decisions: 0, cognitive: 0, structures: 0, nesting: 0 };

class Measuring implements MeasuredTree {
  readonly scopes: Scope[] = [];
  readonly file: Scope = {
    ...nothingCounted,
    type: 'file',
    node: undefined,
    name: '',
    start: 0,
    parameters: 0,
    outer: undefined,
    ownsDecisions: true,
    cognitiveRule: 'same',
    isInFunction: false,
    base: 0,
    nestingAround: 0,
  };
  decisions = 0;
  readonly #rules: ComplexityRules;
  readonly #levels: Level[] = [];
  readonly #sequences = new Map<CodeNode, LogicalSequence>();
  #scope = this.file;
  #nesting = 0;
  /** Up to this node no decisions are counted. */
  #blindUntil = -1;

  constructor(rules: ComplexityRules) {
    this.#rules = rules;
  }

  enter(node: CodeNode): void {
    const { kind, field } = node;
    const { withoutDecisions, conditions } = this.#rules;
    const region = field === '' ? '' : `${node.parent?.kind}.${field}`;
    if (withoutDecisions.has(region)) this.#ignoreDecisions(node);
    if (region !== '') this.#enterRegion(node, region);
    const rule = this.#rules.nodes[kind]?.find((one) => fits(node, one));
    if (rule) this.#apply(node, rule);
    if (withoutDecisions.has(kind)) this.#ignoreDecisions(node);
    const scope = this.#rules.scopes[kind]?.find(
      ({ when }) => when === undefined || conditions?.[when]?.(node),
    );
    if (scope) this.#openScope(node, scope);
    if (rule?.nests) this.#deepen(node);
    if (this.#startsRun(node)) this.#scope.cognitive += 1;
  }

  leaveBefore(index: number): void {
    for (
      let level = this.#levels.at(-1);
      level && level.last < index;
      level = this.#levels.at(-1)
    ) {
      this.#levels.pop();
      if (level.scope) this.#closeScope(level.scope);
      else this.#nesting -= 1;
    }
  }

  #enterRegion(node: CodeNode, name: string): void {
    const region = this.#rules.regions[name];
    if (region && !region.except?.includes(node.kind)) {
      if (region.cognitive === 'flat') this.#scope.cognitive += 1;
      if (region.nests) this.#deepen(node);
    }
    const scope = this.#rules.regionScopes[name];
    if (scope) this.#openScope(node, scope);
  }

  #apply(node: CodeNode, rule: NodeRule): void {
    const scope = this.#scope;
    if (rule.decision && node.index > this.#blindUntil) {
      scope.decisions += 1;
      this.decisions += 1;
    }
    if (rule.cognitive === 'flat') scope.cognitive += 1;
    if (rule.cognitive === 'nested') {
      const depth = this.#nesting - scope.base + 1;
      scope.cognitive += depth;
      scope.structures += 1;
      scope.nesting = Math.max(scope.nesting, depth);
    }
  }

  #ignoreDecisions({ last }: CodeNode): void {
    this.#blindUntil = Math.max(this.#blindUntil, last);
  }

  #deepen({ last }: CodeNode): void {
    this.#nesting += 1;
    this.#levels.push({ last, scope: undefined });
  }

  #openScope(node: CodeNode, rule: ScopeRule): void {
    const outer = this.#scope;
    const nestingAround = this.#nesting;
    const isNested = rule.cognitive === 'nested' && outer.isInFunction;
    if (rule.cognitive === 'alone') this.#nesting = 0;
    else if (isNested && !this.#rules.isWrapped?.(node)) this.#nesting += 1;
    const isFunction = rule.type === 'function' || rule.type === 'lambda';
    const scope: Scope = {
      ...nothingCounted,
      ...this.#rules.describe(node, rule.type),
      type: rule.type,
      node,
      outer,
      ownsDecisions: rule.ownsDecisions,
      cognitiveRule: rule.cognitive,
      isInFunction: outer.isInFunction || isFunction,
      base: this.#nesting,
      nestingAround,
    };
    this.scopes.push(scope);
    this.#levels.push({ last: node.last, scope });
    this.#scope = scope;
  }

  #closeScope(scope: Scope): void {
    const outer = scope.outer ?? this.file;
    this.#scope = outer;
    this.#nesting = scope.nestingAround;
    if (!scope.ownsDecisions) outer.decisions += scope.decisions;
    if (!outer.isInFunction) {
      // Outside functions nothing surrounds it that a reader must keep in mind.
      outer.cognitive += scope.cognitive;
    } else if (scope.cognitiveRule === 'alone') {
      this.file.cognitive += scope.cognitive;
    } else {
      const levels = scope.base - outer.base;
      outer.cognitive += scope.cognitive + scope.structures * levels;
      outer.structures += scope.structures;
      outer.nesting = Math.max(outer.nesting, scope.nesting > 0 ? scope.nesting + levels : 0);
    }
  }

  /**
   * Whether a run of one logical operator begins here. An expression continues the runs of the one it is an operand
   * of, through parentheses but not through a negation or a call.
   */
  #startsRun(node: CodeNode): boolean {
    const { logical, isFree } = this.#rules;
    const { kind, parent } = node;
    const around = parent && this.#sequences.get(parent);
    if (around && logical.transparent.has(kind)) this.#sequences.set(node, around);
    else if (logical.kinds.has(kind) && operatorOf(node, logical.operators) !== undefined) {
      this.#sequences.set(node, around ?? { isFree: isFree?.(node) ?? false, operator: '' });
    }
    if (!around || !logical.operators.has(kind)) return false;
    const isNew = around.operator !== kind && logical.counted.has(kind) && !around.isFree;
    around.operator = kind;
    return isNew;
  }
}

function fits(node: CodeNode, { under, field, having, havingField }: NodeRule): boolean {
  return (
    (!under || under.includes(node.parent?.kind ?? '')) &&
    (field === undefined || field === node.field) &&
    (having === undefined || node.children.some(({ kind }) => kind === having)) &&
    (havingField === undefined || node.child(havingField) !== undefined)
  );
}
