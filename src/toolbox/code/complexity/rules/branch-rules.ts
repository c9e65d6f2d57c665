import type { LogicalRule, NodeRule, ScopeRule } from '../complexity-rules.ts';

/** A place where the path divides, and that costs more the deeper it stands. */
export const branch: NodeRule = { decision: true, cognitive: 'nested' };

/** A function that hides its decisions from the one around it, but not from its reader. */
export const functionScope: ScopeRule = {
  type: 'function',
  ownsDecisions: true,
  cognitive: 'nested',
};

/** A type whose members are functions; code between them belongs to what is around it. */
export const typeScope: ScopeRule = { type: 'class', ownsDecisions: false, cognitive: 'same' };

/** A function without a name, which belongs to the one around it. */
export const lambdaScope: ScopeRule = {
  type: 'lambda',
  ownsDecisions: false,
  cognitive: 'nested',
};

/** Runs of two operators, both counted, through parentheses. */
export function logicalRule(
  kinds: readonly string[],
  operators: readonly [string, string],
): LogicalRule {
  return {
    kinds: new Set(kinds),
    operators: new Set(operators),
    counted: new Set(operators),
    transparent: new Set(['parenthesized_expression']),
  };
}

/** `&&` and `||` as tokens of expressions of these kinds. */
export function operatorRules(kinds: readonly string[]): Record<string, readonly NodeRule[]> {
  const rule: readonly NodeRule[] = [{ under: kinds, decision: true }];
  return { '&&': rule, '||': rule };
}
