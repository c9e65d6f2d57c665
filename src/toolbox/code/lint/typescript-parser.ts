import type { Comment, Program } from 'oxc-parser';
import type { Linter } from 'eslint';
import { tokensOf, type Token, type TreeNode } from './javascript-tokens.ts';
import { TextPositions } from '../text-positions.ts';

/** A text already parsed by oxc: its tree and comments. */
export interface ParsedText {
  readonly text: string;
  readonly program: Program;
  readonly comments: readonly Comment[];
}

/**
 * An ESLint parser that hands over what oxc parsed, completed with what ESLint asks for beyond the
 * tree: places as lines and columns, tokens, comments, and scopes that know types.
 */
export async function typescriptParser(parsed: ParsedText): Promise<Linter.Parser> {
  const { analyze } = await import('@typescript-eslint/scope-manager');
  const { visitorKeys } = await import('@typescript-eslint/visitor-keys');
  return {
    meta: { name: 'oxc-typescript', version: '1' },
    // ESLint hands over a text whose first line it has made a comment; the tree is of the original.
    parseForESLint: () => {
      const { text } = parsed;
      // oxc's TS-ESTree and the one ESLint's rules know are the same format under two type names.
      const program = parsed.program as unknown as TreeNode;
      const ast = completeTree(text, program, { comments: parsed.comments, visitorKeys });
      const scopeManager = analyze(ast as never, {
        sourceType: program['sourceType'] === 'module' ? 'module' : 'script',
        jsxPragma: null,
        lib: [],
      });
      return {
        ast,
        scopeManager,
        visitorKeys: visitorKeys as Record<string, string[]>,
        services: {},
      };
    },
  };
}

interface TreeParts {
  readonly comments: readonly Comment[];
  readonly visitorKeys: Readonly<Record<string, readonly string[] | undefined>>;
}

function completeTree(text: string, program: TreeNode, parts: TreeParts): TreeNode {
  const positions = new TextPositions(text);
  const nodes = collectNodes(program, parts.visitorKeys);
  for (const node of nodes) place(node, positions);
  const tokens = tokensOf(text, nodes, parts.comments);
  for (const token of tokens) place(token, positions);
  const comments = parts.comments.map((comment) => {
    const placed = { ...comment, range: [comment.start, comment.end] };
    place(placed, positions);
    return placed;
  });
  const hashbang = program['hashbang'];
  const shebang = isNode(hashbang) ? [placedShebang(hashbang, positions)] : [];
  program['tokens'] = tokens;
  program['comments'] = [...shebang, ...comments];
  return program;
}

function placedShebang(hashbang: TreeNode, positions: TextPositions): object {
  const shebang = { type: 'Shebang', value: hashbang['value'], range: hashbang.range };
  place(shebang, positions);
  return shebang;
}

/** Every node below the program, which an explicit stack finds at any depth. */
function collectNodes(program: TreeNode, visitorKeys: TreeParts['visitorKeys']): TreeNode[] {
  const nodes: TreeNode[] = [];
  const pending: TreeNode[] = [program];
  for (let node = pending.pop(); node; node = pending.pop()) {
    nodes.push(node);
    for (const key of visitorKeys[node.type] ?? Object.keys(node)) {
      const child = node[key];
      for (const item of Array.isArray(child) ? child : [child]) {
        if (isNode(item)) pending.push(item);
      }
    }
  }
  return nodes;
}

function isNode(value: unknown): value is TreeNode {
  return typeof value === 'object' && value !== null && 'type' in value && 'range' in value;
}

function place(item: TreeNode | Token | object, positions: TextPositions): void {
  // Everything that is placed carries `range`, and `loc` is what ESLint wants to find beside it.
  const target = item as { range: [number, number]; loc?: unknown };
  const start = positions.position(target.range[0]);
  const end = positions.position(target.range[1]);
  target.loc = {
    start: { line: start.line, column: start.column - 1 },
    end: { line: end.line, column: end.column - 1 },
  };
}
