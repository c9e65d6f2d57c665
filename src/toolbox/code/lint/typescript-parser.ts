import type { Linter } from 'eslint';
import type { Comment, Program } from 'oxc-parser';
import { lookupTable } from '../../../kernel/index.ts';
import { TextPositions } from '../text-positions.ts';

/** A text already parsed by oxc: its tree and comments. */
interface ParsedText {
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
  for (const node of nodes) addLocation(node, positions);
  const tokens = tokensOf(text, nodes, parts.comments);
  for (const token of tokens) addLocation(token, positions);
  const comments = parts.comments.map((comment) => {
    const placed = { ...comment, range: [comment.start, comment.end] };
    addLocation(placed, positions);
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
  addLocation(shebang, positions);
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

function addLocation(item: TreeNode | Token | object, positions: TextPositions): void {
  // Every item carries `range`, and `loc` is what ESLint wants to find beside it.
  const target = item as { range: [number, number]; loc?: unknown };
  const start = positions.position(target.range[0]);
  const end = positions.position(target.range[1]);
  target.loc = {
    start: { line: start.line, column: start.column - 1 },
    end: { line: end.line, column: end.column - 1 },
  };
}

/** A node of an ESTree, as far as walking it needs. */
interface TreeNode {
  readonly type: string;
  range: [number, number];
  [key: string]: unknown;
}

export interface Token {
  readonly type: string;
  readonly value: string;
  readonly range: [number, number];
}

const keywords: ReadonlySet<string> = new Set(
  (
    'break case catch class const continue debugger default delete do else enum export extends finally for ' +
    'function if implements import in instanceof interface let new package private protected public return ' +
    'static super switch this throw try typeof var void while with yield'
  ).split(' '),
);

// Longest first, so that the first match is the right one.
const punctuators: readonly string[] = (
  '>>>= ... **= <<= >>= >>> &&= ||= ??= => == != === !== <= >= ++ -- << >> && || ?? ?. += -= *= /= %= &= |= ' +
  '^= ** { } ( ) [ ] . ; , < > + - * / % & | ^ ! ~ ? : = @ #'
)
  .split(' ')
  .sort((a, b) => b.length - a.length);

const word = /[\p{ID_Start}$_\\](?:[\p{ID_Continue}$\\]|\u200c|\u200d)*/uy;
const space = /\s+/uy;

/**
 * The tokens of a parsed text. Names, literals, template pieces and JSX text come from the tree, so no
 * guessing about regular expressions is needed; what lies between is keywords and punctuation, cut at
 * node borders so that `Array<Array<x>>` ends in two tokens.
 */
export function tokensOf(
  text: string,
  nodes: readonly TreeNode[],
  comments: readonly Comment[],
): Token[] {
  const leaves = new Map<number, Token>();
  const borders = new Set<number>();
  for (const node of nodes) {
    borders.add(node.range[0]).add(node.range[1]);
    const token = leafToken(node, text);
    if (token) leaves.set(token.range[0], token);
  }
  const commentEnds = new Map(comments.map(({ start, end }) => [start, end]));
  const tokens: Token[] = [];
  let at = text.startsWith('#!') ? endOfLine(text, 0) : 0;
  while (at < text.length) {
    const skipped = commentEnds.get(at) ?? matchEnd(space, text, at);
    if (skipped !== undefined) {
      at = skipped;
      continue;
    }
    const token = leaves.get(at) ?? wordToken(text, at) ?? punctuatorToken(text, at, borders);
    tokens.push(token);
    at = token.range[1];
  }
  return tokens;
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}

function leafToken(node: TreeNode, text: string): Token | undefined {
  const [start, end] = node.range;
  if (end <= start) return undefined;
  if (node.type === 'Identifier') return identifierToken(text, start);
  const type = node.type === 'Literal' ? literalType(node) : leafTypes[node.type];
  const valueStart = type === 'PrivateIdentifier' ? start + 1 : start;
  return type === undefined
    ? undefined
    : { type, value: text.slice(valueStart, end), range: [start, end] };
}

const leafTypes: Readonly<Record<string, string>> = lookupTable({
  TemplateElement: 'Template',
  JSXText: 'JSXText',
  PrivateIdentifier: 'PrivateIdentifier',
  JSXIdentifier: 'JSXIdentifier',
});

/** An identifier's node includes its type annotation; its token is only the name. */
function identifierToken(text: string, start: number): Token | undefined {
  const end = matchEnd(word, text, start);
  if (end === undefined) return undefined;
  const value = text.slice(start, end);
  return { type: value === 'this' ? 'Keyword' : 'Identifier', value, range: [start, end] };
}

function literalType(node: TreeNode): string {
  if (node['regex'] !== undefined) return 'RegularExpression';
  if (node['value'] === null) return 'Null';
  if (typeof node['value'] === 'string') return 'String';
  return typeof node['value'] === 'boolean' ? 'Boolean' : 'Numeric';
}

function wordToken(text: string, at: number): Token | undefined {
  const end = matchEnd(word, text, at);
  if (end === undefined) return undefined;
  const value = text.slice(at, end);
  return { type: keywords.has(value) ? 'Keyword' : 'Identifier', value, range: [at, end] };
}

function punctuatorToken(text: string, at: number, borders: ReadonlySet<number>): Token {
  const value = punctuators.find(
    (candidate) => text.startsWith(candidate, at) && !crossesBorder(at, candidate.length, borders),
  );
  const length = value?.length ?? 1;
  return {
    type: 'Punctuator',
    value: value ?? text.slice(at, at + 1),
    range: [at, at + length],
  };
}

function crossesBorder(at: number, length: number, borders: ReadonlySet<number>): boolean {
  for (let inside = at + 1; inside < at + length; inside += 1) {
    if (borders.has(inside)) return true;
  }
  return false;
}

function matchEnd(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}
