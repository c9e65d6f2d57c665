/** A node of an ESTree as plain data: the parser's types cover far more than the rules look at. */
export interface TreeNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

export function isNode(value: unknown): value is TreeNode {
  return (
    typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
  );
}

export function nodeAt(node: TreeNode | undefined, key: string): TreeNode | undefined {
  const value = node?.[key];
  return isNode(value) ? value : undefined;
}

export function nodesAt(node: TreeNode | undefined, key: string): readonly TreeNode[] {
  const value = node?.[key];
  return Array.isArray(value) ? value.filter(isNode) : [];
}

export function stringAt(node: TreeNode | undefined, key: string): string {
  const value = node?.[key];
  return typeof value === 'string' ? value : '';
}

function childrenOf(node: TreeNode): readonly TreeNode[] {
  const children: TreeNode[] = [];
  for (const value of Object.values(node)) {
    if (isNode(value)) children.push(value);
    else if (Array.isArray(value)) for (const item of value) if (isNode(item)) children.push(item);
  }
  return children;
}

const maxNodes = 20_000_000;

/** Shows every node with its parent, parents first, without recursion. */
export function walkNodes(
  root: TreeNode,
  visit: (node: TreeNode, parent: TreeNode | undefined) => void,
  limit: number = maxNodes,
): void {
  const waiting: { node: TreeNode; parent: TreeNode | undefined }[] = [
    { node: root, parent: undefined },
  ];
  for (let seen = 0; seen < limit; seen += 1) {
    const next = waiting.pop();
    if (!next) return;
    visit(next.node, next.parent);
    const children = childrenOf(next.node);
    for (let at = children.length - 1; at >= 0; at -= 1) {
      const node = children[at];
      if (node) waiting.push({ node, parent: next.node });
    }
  }
}
