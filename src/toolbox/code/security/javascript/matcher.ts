import type { ScriptFacts } from './script-facts.ts';
import type { TreeNode } from './tree-node.ts';

/** What one rule looks at, and when it holds. */
export interface Matcher {
  readonly on: readonly string[];
  readonly match: (subject: Subject) => boolean;
}

export interface Subject {
  readonly node: TreeNode;
  readonly parent: TreeNode | undefined;
  /** Dotted name of what is called or created, for calls and `new`. */
  readonly name: string;
  readonly facts: ScriptFacts;
}

export type Matchers = Readonly<Record<string, Matcher>>;

export const calls = ['CallExpression', 'NewExpression'];

export function lastPart(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}
