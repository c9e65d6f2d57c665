import { ancestorOf, type TreePredicate } from '../../lint/tree-predicates.ts';
import { lookupTable } from '../../../../kernel/index.ts';

/** What the queries of `lint.yaml` ask that is about Rust alone. */
export const predicates = lookupTable<TreePredicate>({
  /** Inside `#[cfg(test)] mod …` or below `#[test] fn …`. */
  'test-code?': (node) => {
    let holder = ancestorOf(node, holders);
    for (let depth = 0; holder && depth < maxModuleDepth; depth += 1) {
      let before = holder.previousNamedSibling;
      while (before?.type === 'attribute_item' || before?.isExtra) {
        if (testAttribute.test(before.text)) return true;
        before = before.previousNamedSibling;
      }
      holder = ancestorOf(holder, holders);
    }
    return false;
  },
});

const holders = ['function_item', 'mod_item'];
const maxModuleDepth = 20;
const testAttribute = /^#\[\s*(?:(?:\w+::)*test\b|cfg\(.*\btest\b)/;
