import type { Node } from 'web-tree-sitter';
import type { TextEdit } from './lint-finding.ts';

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

/** The comment that ends on the line before a node, or stands right before it. */
export function commentBefore(node: Node): Node | undefined {
  const before = node.previousSibling;
  if (!before?.type.endsWith('comment')) return undefined;
  return before.endPosition.row >= node.startPosition.row - 1 ? before : undefined;
}

export function fieldText(node: Node, field: string): string | undefined {
  return node.childForFieldName(field)?.text;
}

/** Statements of a block, comments left out. */
export function statementsOf(block: Node | null): readonly Node[] {
  return block ? block.namedChildren.filter((child) => !child.isExtra) : [];
}

/** The edit that deletes a node, with its line when nothing else stands there. */
export function removeNode(node: Node, text: string): TextEdit {
  const lineStart = text.lastIndexOf('\n', node.startIndex - 1) + 1;
  const newline = text.indexOf('\n', node.endIndex);
  const lineEnd = newline < 0 ? text.length : newline;
  const isAlone =
    text.slice(lineStart, node.startIndex).trim() === '' &&
    text.slice(node.endIndex, lineEnd).trim() === '';
  return isAlone
    ? { start: lineStart, end: Math.min(lineEnd + 1, text.length), text: '' }
    : { start: node.startIndex, end: node.endIndex, text: '' };
}

/** Every direct child of a type. */
export function childrenOfType(node: Node, type: string): readonly Node[] {
  return node.namedChildren.filter((child) => child.type === type);
}

/** Whether a node has an unnamed child such as the keyword `static`. */
export function hasKeyword(node: Node, keyword: string): boolean {
  return node.children.some((child) => child.type === keyword);
}
