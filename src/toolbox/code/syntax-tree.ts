import { createRequire } from 'node:module';
import type { Language as Grammar, Node, Parser, Tree } from 'web-tree-sitter';
import { TooComplexError } from './errors.ts';
import { placeOfOffset, type TextPlace } from './text-positions.ts';

/** The grammars in `@vscode/tree-sitter-wasm` that the code tools use. */
export type GrammarName =
  | 'python'
  | 'javascript'
  | 'typescript'
  | 'tsx'
  | 'java'
  | 'go'
  | 'rust'
  | 'css';

/**
 * Valid text takes about half a microsecond per character; some broken text takes tree-sitter
 * milliseconds. The limit is ten times what valid text needs, and a start.
 */
const baseMs = 3_000;
const maxMsPerCharacter = 0.005;

/** Parsers, each loaded when first asked for and then kept: a grammar takes tens of milliseconds. */
export class SyntaxTrees {
  readonly #grammars = new Map<GrammarName, Promise<Grammar>>();
  readonly #require = createRequire(import.meta.url);
  #runtime: Promise<typeof import('web-tree-sitter')> | undefined;

  /**
   * Parses `text`. The caller owns the tree and must `delete()` it: it lives outside the JS heap.
   * Throws `TooComplexError` for broken text that the grammar does not get through in time.
   */
  async parse(
    grammar: GrammarName,
    text: string,
    maxMs = baseMs + text.length * maxMsPerCharacter,
  ): Promise<Tree> {
    const parser = await this.#parser(grammar);
    const endsAt = performance.now() + maxMs;
    try {
      const tree = parser.parse(text, null, {
        progressCallback: () => performance.now() > endsAt,
      });
      if (!tree) throw new TooComplexError(`The ${grammar} text`, 'it takes its parser too long');
      return tree;
    } finally {
      parser.delete();
    }
  }

  /** The grammar itself, for queries. */
  grammar(name: GrammarName): Promise<Grammar> {
    const loaded = this.#grammars.get(name) ?? this.#load(name);
    this.#grammars.set(name, loaded);
    return loaded;
  }

  async #parser(name: GrammarName): Promise<Parser> {
    const grammar = await this.grammar(name);
    const { Parser } = await this.#start();
    const parser = new Parser();
    parser.setLanguage(grammar);
    return parser;
  }

  async #load(name: GrammarName): Promise<Grammar> {
    const { Language } = await this.#start();
    return Language.load(
      this.#require.resolve(`@vscode/tree-sitter-wasm/wasm/tree-sitter-${name}.wasm`),
    );
  }

  #start(): Promise<typeof import('web-tree-sitter')> {
    this.#runtime ??= import('web-tree-sitter').then(async (runtime) => {
      await runtime.Parser.init();
      return runtime;
    });
    return this.#runtime;
  }
}

/** Where the grammar first did not fit; lines and columns start at 1. */
export function firstErrorIn(tree: Tree): { line: number; column: number } | undefined {
  if (!tree.rootNode.hasError) return undefined;
  const cursor = tree.walk();
  try {
    while (cursor.gotoFirstChild()) {
      while (!cursor.currentNode.hasError && cursor.gotoNextSibling());
      if (cursor.currentNode.isError || cursor.currentNode.isMissing) break;
    }
    const { row, column } = cursor.startPosition;
    return { line: row + 1, column: column + 1 };
  } finally {
    cursor.delete();
  }
}

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
