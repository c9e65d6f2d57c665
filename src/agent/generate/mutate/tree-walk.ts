import type { Node } from 'web-tree-sitter';

/** Beyond this a text is not looked into any further. */
export const maxNodes = 400_000;

/**
 * Visits a tree from the top, in the order of the text, with what each node's parent handed down. Does not
 * recurse: nesting may be deep. `visit` gives what the node hands to its children; `undefined` leaves them out.
 */
export function walkTree<Context>(
  root: Node,
  start: Context,
  visit: (node: Node, context: Context) => Context | undefined,
): void {
  const pending: { node: Node; context: Context }[] = [{ node: root, context: start }];
  for (let seen = 0; seen < maxNodes; seen += 1) {
    const next = pending.pop();
    if (!next) return;
    const context = visit(next.node, next.context);
    if (context === undefined) continue;
    for (const child of next.node.children.toReversed()) pending.push({ node: child, context });
  }
}
