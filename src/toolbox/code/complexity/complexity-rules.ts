import { z } from 'zod';
import type { CodeNode } from './code-tree.ts';

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
    /** Kinds of operands that are equal when they are written alike. */
    atoms: wordSet,
    /** Kinds that stand for their last part: `a.b.c` is the operand `c`. */
    members: wordSet,
  }),
  /** Kinds that are one logical line each. */
  statements: z.string().transform((pattern) => new RegExp(pattern)),
});

export type NodeRule = z.infer<typeof nodeSchema>;
export type ScopeRule = z.infer<typeof scopeSchema>;

export interface ScopeDescription {
  readonly name: string;
  /** Offset of the name, or else of the keyword. */
  readonly start: number;
  readonly parameters: number;
}

/** The function a call names: one of the file, or of the class around the call. */
export interface Callee {
  readonly name: string;
  readonly of: 'file' | 'class';
  readonly arguments: number;
}

type Condition = (node: CodeNode) => boolean;

/** What a language's `complexity.yaml` leaves to code. */
export interface LanguageHooks {
  readonly describe: (scope: CodeNode, type: ScopeRule['type']) => ScopeDescription;
  readonly callee?: (call: CodeNode, scope: CodeNode) => Callee | undefined;
  /** True for a function whose only purpose is to return the one inside, which then nests nothing. */
  readonly isWrapped?: Condition;
  /** True for an expression whose logical operators cost nothing. */
  readonly isFree?: Condition;
  /** What `when` of a scope names. */
  readonly conditions?: Readonly<Record<string, Condition>>;
}

/** All that the measuring loop knows about a language. */
export type ComplexityRules = z.infer<typeof rulesSchema> & LanguageHooks;

export const anonymous = '<anonymous>';

/** Name, position and parameters of a scope whose grammar puts them into fields; kinds in `ignored` are no parameters. */
export function describeByFields(
  scope: CodeNode,
  ignored: readonly string[] = [],
): ScopeDescription {
  const name = scope.child('name');
  const parameters = scope.child('parameters')?.namedChildren ?? [];
  return {
    name: name?.text ?? anonymous,
    start: (name ?? scope).start,
    parameters: parameters
      .filter(({ kind }) => !ignored.includes(kind))
      .reduce((count, parameter) => count + countNames(parameter), 0),
  };
}

/** Go declares several parameters of one type together. */
function countNames({ kind, children }: CodeNode): number {
  if (kind !== 'parameter_declaration') return 1;
  return Math.max(1, children.filter(({ field }) => field === 'name').length);
}

/** How many arguments a call passes. */
export function countArguments(call: CodeNode): number {
  return call.child('arguments')?.namedChildren.length ?? 0;
}

/** The first operator among `operators` that joins the parts of a node. */
export function operatorOf(node: CodeNode, operators: ReadonlySet<string>): string | undefined {
  return node.children.find(({ kind }) => operators.has(kind))?.kind;
}
