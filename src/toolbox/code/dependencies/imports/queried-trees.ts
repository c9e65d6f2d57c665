import type { Node, Query } from 'web-tree-sitter';
import type { GrammarName, SyntaxTrees } from '../../syntax-tree.ts';

/** What a query found: the capture's name and its node. */
export interface Capture {
  readonly name: string;
  readonly node: Node;
}

export interface TreeQuery {
  readonly grammar: GrammarName;
  readonly pattern: string;
  readonly text: string;
}

/** Tree-sitter queries, compiled once for all files of a call. `close()` gives their memory back. */
export class QueriedTrees {
  /** The parsers behind the queries. */
  readonly trees: SyntaxTrees;
  readonly #queries = new Map<string, Promise<Query>>();

  constructor(trees: SyntaxTrees) {
    this.trees = trees;
  }

  /** Runs a query over a text. The nodes live only while `use` runs. */
  async query<Result>(
    request: TreeQuery,
    use: (captures: readonly Capture[]) => Result,
  ): Promise<Result> {
    const query = await this.#compiled(request);
    const tree = await this.trees.parse(request.grammar, request.text);
    try {
      return use(query.captures(tree.rootNode));
    } finally {
      tree.delete();
    }
  }

  async close(): Promise<void> {
    for (const query of this.#queries.values()) (await query).delete();
    this.#queries.clear();
  }

  #compiled({ grammar, pattern }: TreeQuery): Promise<Query> {
    const key = `${grammar}\n${pattern}`;
    const kept = this.#queries.get(key);
    if (kept) return kept;
    const compiled = this.#compile(grammar, pattern);
    this.#queries.set(key, compiled);
    return compiled;
  }

  async #compile(grammar: GrammarName, pattern: string): Promise<Query> {
    const { Query } = await import('web-tree-sitter');
    return new Query(await this.trees.grammar(grammar), pattern);
  }
}

export function lineOf(node: Node): number {
  return node.startPosition.row + 1;
}
