import type { TreePredicate } from '../../lint/tree-predicates.ts';
import { lookupTable } from '../../../../kernel/index.ts';

/** What the queries of `lint.yaml` ask that is about Java alone. */
export const predicates = lookupTable<TreePredicate>({
  /** Whether a case surely runs on into the next; blocks, ifs and tries get the benefit of the doubt. */
  'falls-through?': (group) => {
    const next = group.nextNamedSibling;
    const statements = group.namedChildren.filter(({ type }) => type !== 'switch_label');
    const last = statements.findLast(({ isExtra }) => !isExtra);
    if (!last || !next || next.isExtra || mayLeave.test(last.text)) return false;
    return ![...statements, next].some(({ isExtra, text }) => isExtra && /fall/i.test(text));
  },
});

const mayLeave = /\b(?:break|return|throw|continue|yield|exit)\b/;
