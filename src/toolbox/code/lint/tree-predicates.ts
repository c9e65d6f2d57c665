import type { Node } from 'web-tree-sitter';
import { lookupTable } from '../../../kernel/index.ts';

/** What predicates may want to know about the whole file. */
export interface FileFacts {
  readonly text: string;
  readonly isTest: boolean;
  /** How often a word stands in the text, comments and strings included. */
  countWord(word: string): number;
}

/** A condition on a captured node, with the words behind it in the query. */
export type TreePredicate = (node: Node, words: readonly string[], facts: FileFacts) => boolean;

/**
 * What queries of any language may ask beyond tree-sitter's own predicates. `not-` in front of a name negates it.
 * A node that the matched alternative has not captured fulfils every condition.
 */
export const treePredicates = lookupTable<TreePredicate>({
  'kind?': (node, types) => types.includes(node.type),
  'empty?': (node) => node.namedChildCount === 0,
  /** The last of its siblings, comments left out. */
  'last?': (node) => node.parent?.namedChildren.findLast(({ isExtra }) => !isExtra)?.id === node.id,
  /** Below a node of one of the types, not looking beyond those after `until`. */
  'inside?': (node, types) => {
    const end = types.indexOf('until');
    return end < 0
      ? ancestorOf(node, types) !== undefined
      : ancestorOf(node, types.slice(0, end), types.slice(end + 1)) !== undefined;
  },
  /** The nearest node above of one of the types has such a name. */
  'inside-named?': (node, [pattern = '', ...types]) => {
    const name = ancestorOf(node, types)?.childForFieldName('name')?.text;
    return name !== undefined && new RegExp(pattern).test(name);
  },
  /** A parameter of the nearest node above of one of the types has this name. */
  'parameter?': (node, types) =>
    ancestorOf(node, types)
      ?.childForFieldName('parameters')
      ?.namedChildren.some(
        (parameter) => parameter.childForFieldName('name')?.text === node.text,
      ) ?? false,
  /** None of its children of the type has such a text. */
  'lacks?': (node, [type, pattern = '']) =>
    !node.namedChildren.some(
      (child) => child.type === type && new RegExp(pattern).test(child.text),
    ),
  /** No comment or attribute directly above has such a text. */
  'undocumented?': (node, [pattern = '']) => {
    let below = node;
    for (let seen = 0; seen < maxAttributes; seen += 1) {
      const above = below.previousNamedSibling;
      const isNote = above?.isExtra || above?.type === 'attribute_item';
      if (!above || !isNote || above.endPosition.row < below.startPosition.row - 1) return true;
      if (new RegExp(pattern).test(above.text)) return false;
      below = above;
    }
    return true;
  },
  /** Its text is a word that stands nowhere else in the file. */
  'unused?': (node, _, facts) => facts.countWord(node.text) === 1,
  /** Such a text stands close before or after its start. */
  'near?': (node, [pattern = ''], { text }) =>
    new RegExp(pattern).test(
      text.slice(Math.max(0, node.startIndex - nearCharacters), node.startIndex + nearCharacters),
    ),
});

const maxAttributes = 50;
const nearCharacters = 240;

/** Farther up no rule needs to look. */
const maxAncestors = 200;

/** The nearest node above of one of `types`, not looking beyond one of `stops`. */
export function ancestorOf(
  node: Node,
  types: readonly string[],
  stops: readonly string[] = [],
): Node | undefined {
  let above = node.parent;
  for (let steps = 0; above && steps < maxAncestors; steps += 1) {
    if (types.includes(above.type)) return above;
    if (stops.includes(above.type)) return undefined;
    above = above.parent;
  }
  return undefined;
}
