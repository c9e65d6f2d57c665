import { z } from 'zod';
import type { FlatTree } from './flat-tree.ts';

const words = z.array(z.string());
const wordSet = words.transform((list): ReadonlySet<string> => new Set(list));
const yes = z.literal(true).optional();

/** What a node adds. The first rule of a kind whose conditions hold is the one that applies. */
const nodeSchema = z.strictObject({
  /** Only directly inside one of these kinds. */
  under: words.optional(),
  /** Only as this part of its parent. */
  field: z.string().optional(),
  /** Only with a direct child of this kind. */
  having: z.string().optional(),
  /** Only with a child in this field. */
  havingField: z.string().optional(),
  /** One more path through the function: cyclomatic + 1. */
  decision: yes,
  /** Cognitive + 1, `nested` plus one for each level of nesting around it. */
  cognitive: z.enum(['nested', 'flat']).optional(),
  /** What is inside lies one level deeper. */
  nests: yes,
});

/** What being a certain part of a certain parent adds, whatever kind of node stands there. */
const regionSchema = z.strictObject({
  except: words.optional(),
  cognitive: z.literal('flat').optional(),
  nests: yes,
});

/** How a function counts towards what surrounds it. */
const scopeSchema = z.strictObject({
  /** Functions and initialisers are listed; a lambda belongs to the function around it. */
  type: z.enum(['function', 'class', 'initializer', 'lambda']),
  /** Only where this condition of the language holds. */
  when: z.string().optional(),
  /** Its decision points are its own and not also those of the function around it. */
  ownsDecisions: z.boolean(),
  /**
   * `alone`: the function around it does not see what is inside. `nested`: it does, one level
   * deeper. `same`: it does, at the level of the surroundings.
   */
  cognitive: z.enum(['alone', 'nested', 'same']),
});

export const rulesSchema = z.strictObject({
  nodes: z.record(z.string(), z.array(nodeSchema)),
  /** By `parent.field`. */
  regions: z.record(z.string(), regionSchema),
  scopes: z.record(z.string(), z.array(scopeSchema)),
  /** Extra scopes that exist by position, such as the value of a class field. */
  regionScopes: z.record(z.string(), scopeSchema).default({}),
  /** `parent.field` of the parts in which no decision is counted, and kinds likewise. */
  withoutDecisions: wordSet.default(new Set()),
  logical: z.strictObject({
    kinds: wordSet,
    operators: wordSet,
    /** A run of one of these operators costs one. */
    counted: wordSet,
    /** Kinds that a run of operators continues through. */
    transparent: wordSet,
  }),
  /** How calls are written, and whether the number of arguments tells functions of one name apart. */
  calls: z.strictObject({ kind: z.string(), isOverloaded: z.boolean() }).optional(),
  halstead: z.strictObject({
    /** Kinds whose tokens are operators and whose other children are operands. */
    operations: wordSet,
    /** Kinds of operands that are one thing wherever they are written alike. */
    atoms: wordSet,
    /** Kinds that stand for their last part: `a.b.c` is the operand `c`. */
    members: wordSet,
  }),
  /** Kinds that are one logical line each. */
  statements: z.string().transform((pattern) => new RegExp(pattern)),
});

export type NodeRule = z.infer<typeof nodeSchema>;
export type RegionRule = z.infer<typeof regionSchema>;
export type ScopeRule = z.infer<typeof scopeSchema>;

export interface ScopeDescription {
  readonly name: string;
  /** Where the name, or else the keyword, stands. */
  readonly start: number;
  readonly parameters: number;
}

/** Whom a call names: a function of the file, or one of the class it stands in. */
export interface Callee {
  readonly name: string;
  readonly of: 'file' | 'class';
  readonly arguments: number;
}

type Condition = (tree: FlatTree, node: number) => boolean;

/** What a language's `complexity.yaml` leaves to code. */
export interface LanguageHooks {
  readonly describe: (tree: FlatTree, scope: number, type: ScopeRule['type']) => ScopeDescription;
  readonly callee?: (tree: FlatTree, call: number, scope: number) => Callee | undefined;
  /** True for a function whose only purpose is to return the one inside, which then nests nothing. */
  readonly isWrapped?: Condition;
  /** True for an expression whose logical operators cost nothing. */
  readonly isFree?: Condition;
  /** What `when` of a scope names. */
  readonly conditions?: Readonly<Record<string, Condition>>;
}

/** All that the measuring loop knows about a language. */
export type ComplexityRules = z.infer<typeof rulesSchema> & LanguageHooks;
