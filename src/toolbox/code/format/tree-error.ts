import type { Node } from 'web-tree-sitter';
import type { GrammarName, SyntaxTrees } from '../syntax-tree.ts';
import { placeOfOffset, type TextPlace } from './text-place.ts';

export interface TreeError {
  readonly place: TextPlace;
  readonly message: string;
}

const maxShownLength = 40;

/** Some grammars stumble over characters beyond 16 bits; any other letter serves as well. */
const astral = /[\u{10000}-\u{10ffff}]/gu;

/** The first place at which tree-sitter could not go on or had to invent a token. */
export async function firstTreeError(
  text: string,
  grammar: GrammarName,
  trees: SyntaxTrees,
): Promise<TreeError | undefined> {
  const found = await findError(text, grammar, trees);
  if (!found) return undefined;
  const inOneUnit = text.replace(astral, 'あ');
  if (inOneUnit === text) return found;
  return (await findError(inOneUnit, grammar, trees)) && found;
}

async function findError(
  text: string,
  grammar: GrammarName,
  trees: SyntaxTrees,
): Promise<TreeError | undefined> {
  const tree = await trees.parse(grammar, text);
  try {
    if (!tree.rootNode.hasError) return undefined;
    const node = descend(tree.rootNode);
    return node.isMissing ? describeMissing(node, text) : describeSkipped(node, text);
  } finally {
    tree.delete();
  }
}

/** Goes down into the first child that holds an error: as many steps as the tree is deep. */
function descend(root: Node): Node {
  let node = root;
  for (;;) {
    const child = node.children.find((one) => one.hasError || one.isMissing);
    if (!child) return node;
    node = child;
  }
}

/** A token the parser invented has no length and stands behind the last real one. */
function describeMissing(node: Node, text: string): TreeError {
  return { place: placeOfOffset(text, node.startIndex), message: `Expected ${node.type}` };
}

/**
 * The parser skipped this node. When it ends in a token that calls for more, such as `=` or `(`, the
 * surprise is what comes behind it; otherwise the node itself.
 */
function describeSkipped(node: Node, text: string): TreeError {
  const callsForMore = /[=(,.+\-*/<>&|!?:[{@]$/.test(text.slice(node.startIndex, node.endIndex));
  const offset = skipSpace(text, callsForMore ? node.endIndex : node.startIndex);
  const [shown = ''] = text.slice(offset, offset + maxShownLength).split('\n', 1);
  return {
    place: placeOfOffset(text, offset),
    message: shown.trim() === '' ? 'Unexpected end of input' : `Unexpected "${shown.trim()}"`,
  };
}

function skipSpace(text: string, offset: number): number {
  const rest = /\S/.exec(text.slice(offset));
  return offset + (rest?.index ?? 0);
}
