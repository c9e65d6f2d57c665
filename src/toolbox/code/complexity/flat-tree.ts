/**
 * A syntax tree as parallel lists in source order: node `i` stands before everything inside it, and
 * the nodes inside it are `i + 1` to `lasts[i]`. Whoever parsed it, it is measured by plain loops,
 * so no depth of nesting can exhaust the stack.
 */
export interface FlatTree {
  readonly text: string;
  readonly kinds: readonly string[];
  /** The part of its parent a node is, such as `body`; empty when the grammar does not say. */
  readonly fields: readonly string[];
  readonly parents: readonly number[];
  readonly lasts: readonly number[];
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  /** Comments are no nodes: no rule is about them, and they may stand anywhere. */
  readonly comments: readonly TextSpan[];
  /** Tokens such as `&&` are nodes but not named. */
  readonly named: readonly boolean[];
}

export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

export interface FlatNode {
  readonly kind: string;
  readonly field: string;
  readonly start: number;
  readonly end: number;
  readonly named: boolean;
}

export const noNode = -1;

/** Collects nodes in source order: `open` before and `close` after what is inside. */
export class FlatTreeBuilder {
  readonly #opened: number[] = [];
  readonly #tree;

  constructor(text: string) {
    this.#tree = {
      text,
      kinds: [] as string[],
      fields: [] as string[],
      parents: [] as number[],
      lasts: [] as number[],
      starts: [] as number[],
      ends: [] as number[],
      comments: [] as TextSpan[],
      named: [] as boolean[],
    };
  }

  open(node: FlatNode): void {
    const tree = this.#tree;
    const index = tree.kinds.push(node.kind) - 1;
    tree.fields.push(node.field);
    tree.parents.push(this.#opened.at(-1) ?? noNode);
    tree.lasts.push(index);
    tree.starts.push(node.start);
    tree.ends.push(node.end);
    tree.named.push(node.named);
    this.#opened.push(index);
  }

  close(): void {
    const index = this.#opened.pop();
    if (index !== undefined) this.#tree.lasts[index] = this.#tree.kinds.length - 1;
  }

  comment(span: TextSpan): void {
    this.#tree.comments.push(span);
  }

  build(): FlatTree {
    return this.#tree;
  }
}

export function kindOf(tree: FlatTree, node: number): string {
  return tree.kinds[node] ?? '';
}

export function fieldOf(tree: FlatTree, node: number): string {
  return tree.fields[node] ?? '';
}

export function parentOf(tree: FlatTree, node: number): number {
  return tree.parents[node] ?? noNode;
}

export function lastOf(tree: FlatTree, node: number): number {
  return tree.lasts[node] ?? node;
}

export function startOf(tree: FlatTree, node: number): number {
  return tree.starts[node] ?? 0;
}

export function endOf(tree: FlatTree, node: number): number {
  return tree.ends[node] ?? 0;
}

export function isNamed(tree: FlatTree, node: number): boolean {
  return tree.named[node] ?? false;
}

export function textOf(tree: FlatTree, node: number): string {
  return tree.text.slice(startOf(tree, node), endOf(tree, node));
}

/** The nodes directly inside `node`, in source order. */
export function* childrenOf(tree: FlatTree, node: number): Generator<number> {
  const last = lastOf(tree, node);
  for (let child = node + 1; child <= last; child = lastOf(tree, child) + 1) yield child;
}

/** The first child in the given field, or `noNode`. */
export function childIn(tree: FlatTree, node: number, field: string): number {
  for (const child of childrenOf(tree, node)) if (fieldOf(tree, child) === field) return child;
  return noNode;
}

/** The first child of the given kind, or `noNode`. */
export function childOfKind(tree: FlatTree, node: number, kind: string): number {
  for (const child of childrenOf(tree, node)) if (kindOf(tree, child) === kind) return child;
  return noNode;
}
