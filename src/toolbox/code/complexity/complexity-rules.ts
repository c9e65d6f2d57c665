import type { FlatTree } from './flat-tree.ts';

/** What a node adds. The first rule of a kind whose conditions hold is the one that applies. */
export interface NodeRule {
  /** Only directly inside one of these kinds. */
  readonly under?: readonly string[];
  /** Only as this part of its parent. */
  readonly field?: string;
  /** Only with a direct child of this kind. */
  readonly having?: string;
  /** Only with a child in this field. */
  readonly havingField?: string;
  /** One more path through the function: cyclomatic + 1. */
  readonly decision?: true;
  /** Cognitive + 1, `nested` plus one for each level of nesting around it. */
  readonly cognitive?: 'nested' | 'flat';
  /** What is inside lies one level deeper. */
  readonly nests?: true;
}

/** What being a certain part of a certain parent adds, whatever kind of node stands there. */
export interface RegionRule {
  readonly except?: readonly string[];
  readonly cognitive?: 'flat';
  readonly nests?: true;
}

/** How a function counts towards what surrounds it. */
export interface ScopeRule {
  /** Functions and initialisers are listed; a lambda belongs to the function around it. */
  readonly type: 'function' | 'class' | 'initializer' | 'lambda';
  /** Only where this holds. */
  readonly when?: (tree: FlatTree, node: number) => boolean;
  /** Its decision points are its own and not also those of the function around it. */
  readonly ownsDecisions: boolean;
  /**
   * `alone`: the function around it does not see what is inside. `nested`: it does, one level
   * deeper. `same`: it does, at the level of the surroundings.
   */
  readonly cognitive: 'alone' | 'nested' | 'same';
}

export interface ScopeDescription {
  readonly name: string;
  /** Where the name, or else the keyword, stands. */
  readonly start: number;
  readonly parameters: number;
}

export interface LogicalRule {
  readonly kinds: ReadonlySet<string>;
  readonly operators: ReadonlySet<string>;
  /** A run of one of these operators costs one. */
  readonly counted: ReadonlySet<string>;
  /** Kinds that a run of operators continues through. */
  readonly transparent: ReadonlySet<string>;
  /** True for an expression whose operators cost nothing. */
  readonly isFree?: (tree: FlatTree, root: number) => boolean;
}

/** How calls are written, so that recursion can be seen. */
export interface CallRule {
  readonly kind: string;
  /** Whom a call names: a function of the file, or one of the class it stands in. */
  readonly callee: (tree: FlatTree, call: number, scope: number) => Callee | undefined;
  /** How many arguments tell functions of one name apart, where the language has overloading. */
  readonly isOverloaded: boolean;
}

export interface Callee {
  readonly name: string;
  readonly of: 'file' | 'class';
  readonly arguments: number;
}

export interface HalsteadRule {
  /** Kinds whose tokens are operators and whose other children are operands. */
  readonly operations: ReadonlySet<string>;
  /** Kinds of operands that are one thing wherever they are written alike. */
  readonly atoms: ReadonlySet<string>;
  /** Kinds that stand for their last part: `a.b.c` is the operand `c`. */
  readonly members: ReadonlySet<string>;
}

/** All that the measuring loop knows about a language. */
export interface ComplexityRules {
  readonly nodes: Readonly<Record<string, readonly NodeRule[]>>;
  /** By `parent.field`. */
  readonly regions: Readonly<Record<string, RegionRule>>;
  readonly scopes: Readonly<Record<string, readonly ScopeRule[]>>;
  readonly describe: (tree: FlatTree, scope: number, type: ScopeRule['type']) => ScopeDescription;
  /** `parent.field` of the parts in which no decision is counted, and kinds likewise. */
  readonly withoutDecisions: ReadonlySet<string>;
  readonly logical: LogicalRule;
  readonly calls?: CallRule;
  /** True for a function whose only purpose is to return the one inside, which then nests nothing. */
  readonly isWrapped?: (tree: FlatTree, scope: number) => boolean;
  /** Extra scopes that exist by position, such as the value of a class field. */
  readonly regionScopes: Readonly<Record<string, ScopeRule>>;
  readonly halstead: HalsteadRule;
  /** Kinds that are one logical line each. */
  readonly statements: RegExp;
}
