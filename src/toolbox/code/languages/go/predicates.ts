import type { Node } from 'web-tree-sitter';
import type { TreePredicate } from '../../lint/tree-predicates.ts';
import { lookupTable } from '../../../../kernel/index.ts';

/** What the queries of `lint.yaml` ask that is about Go alone. */
export const predicates = lookupTable<TreePredicate>({
  /** Only for the standard library: elsewhere a package may be named differently from its path. */
  'unused-package?': (path, _, { text }) => {
    const segments = path.text.slice(1, -1).split('/');
    const last = segments.at(-1) ?? '';
    const name = (/^v\d+$/.test(last) ? segments.at(-2) : last) ?? '';
    if (segments[0]?.includes('.') || last === 'C' || !/^\w+$/.test(name)) return false;
    return !new RegExp(`\\b${name}\\s*\\.`).test(text);
  },
  /** `err :=` in an inner block makes a second err, and the outer one stays as it was. */
  'shadows?': (declaration) => {
    let inner = declaration.parent;
    for (let depth = 0; inner && depth < maxDepth; depth += 1) {
      if (functions.has(inner.type)) return false;
      if (inner.parent?.type === 'statement_list' && isDeclaredBefore(inner)) return true;
      inner = inner.parent;
    }
    return false;
  },
});

const functions = new Set(['function_declaration', 'method_declaration', 'func_literal']);
const maxDepth = 100;
const maxStatementsBack = 200;

function isDeclaredBefore(statement: Node): boolean {
  let before = statement.previousNamedSibling;
  for (let steps = 0; before && steps < maxStatementsBack; steps += 1) {
    const left =
      before.type === 'short_var_declaration' ? before.childForFieldName('left') : undefined;
    if (left?.namedChildren.some(({ text }) => text === 'err')) return true;
    before = before.previousNamedSibling;
  }
  return false;
}
