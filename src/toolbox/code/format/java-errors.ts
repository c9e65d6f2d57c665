import type { Node, QueryCapture } from 'web-tree-sitter';
import type { SyntaxTrees } from '../syntax-tree.ts';
import { placeOfOffset } from './text-place.ts';
import { firstTreeError, type TreeError } from './tree-error.ts';

const reservedWords =
  'abstract boolean break byte case catch char class const continue default do double else extends false final finally float for goto if implements import instanceof int interface long native new null package private protected public return short static super switch synchronized this throw throws transient true try void volatile while';

/** Expressions that may not stand alone as a statement; behind the `->` of a `switch` they may. */
const noStatements =
  'binary_expression unary_expression ternary_expression cast_expression instanceof_expression lambda_expression method_reference parenthesized_expression identifier field_access array_access this decimal_integer_literal hex_integer_literal decimal_floating_point_literal string_literal character_literal true false null_literal';

const query = `
  ((identifier) @word (#match? @word "^(?:${reservedWords.replaceAll(' ', '|')})$"))
  ((type_identifier) @word (#match? @word "^(?:${reservedWords.replaceAll(' ', '|')})$"))
  (modifiers) @modifiers
  (expression_statement [${noStatements.replace(/\S+/g, '($&)')}] @statement)
  (character_literal) @character
  (escape_sequence) @escape
  (local_variable_declaration type: (void_type) @void)
  (field_declaration type: (void_type) @void)
  (formal_parameter type: (void_type) @void)
  (constructor_declaration name: (identifier) @constructor)`;

/** What is wrong with a node, if it is, by the name under which the query above finds it. */
const rules: Readonly<Record<string, (node: Node) => string | undefined>> = {
  word: (node) => `"${node.text}" is a keyword and cannot be a name`,
  modifiers: repeatedModifier,
  statement: (node) =>
    node.parent?.parent?.type === 'switch_rule' ? undefined : 'This expression is no statement',
  character: badCharacter,
  escape: (node) =>
    /^\\(?:[btnfrs"'\\\r\n]|[0-7]{1,3}|u+[\da-fA-F]{4})$/.test(node.text)
      ? undefined
      : `"${node.text}" is no escape sequence`,
  void: () => 'A variable cannot be void',
  constructor: strangeConstructor,
};

/** The first error of a Java text, by tree-sitter's grammar and the rules above. */
export async function firstJavaError(
  text: string,
  trees: SyntaxTrees,
): Promise<TreeError | undefined> {
  const mistake = await findJavaMistake(text, trees);
  if (mistake !== 'not parsed') return mistake;
  const found = await firstTreeError(text, 'java', trees);
  return found && (findUnclosed(text) ?? found);
}

/**
 * tree-sitter's grammar accepts more than the language has: this looks for the mistakes people make
 * in what it accepted.
 */
export async function findJavaMistake(
  text: string,
  trees: SyntaxTrees,
): Promise<TreeError | 'not parsed' | undefined> {
  const { Query } = await import('web-tree-sitter');
  const tree = await trees.parse('java', text);
  const search = new Query(await trees.grammar('java'), query);
  try {
    if (tree.rootNode.hasError) return 'not parsed';
    return firstProblem(search.captures(tree.rootNode), text);
  } finally {
    search.delete();
    tree.delete();
  }
}

function firstProblem(captures: readonly QueryCapture[], text: string): TreeError | undefined {
  for (const { name, node } of captures) {
    const message = rules[name]?.(node);
    if (message !== undefined) return { place: placeOfOffset(text, node.startIndex), message };
  }
  return undefined;
}

const accessModifiers = new Set(['public', 'protected', 'private']);

function repeatedModifier(node: Node): string | undefined {
  const words = node.children.filter((child) => !child.isNamed).map((child) => child.type);
  const repeated = words.find((word, index) => words.indexOf(word) < index);
  if (repeated !== undefined) return `The modifier "${repeated}" is repeated`;
  return words.filter((word) => accessModifiers.has(word)).length > 1
    ? 'Only one of public, protected and private is allowed'
    : undefined;
}

function badCharacter({ text }: Node): string | undefined {
  // A Unicode escape may stand for any part of the literal, even for its backslash.
  if (/\\u+[\da-fA-F]{4}/.test(text)) return undefined;
  const isOne = /^'(?:[^'\\]|\\(?:[btnfrs"'\\]|[0-7]{1,3}))'$/u.test(text);
  return isOne ? undefined : `${text} is not one character`;
}

function strangeConstructor(node: Node): string | undefined {
  const type = node.parent?.parent?.type.endsWith('_body_declarations')
    ? node.parent.parent.parent?.parent
    : node.parent?.parent?.parent;
  const owner = type?.childForFieldName('name')?.text;
  return owner === undefined || owner === node.text
    ? undefined
    : `The method "${node.text}" has no return type`;
}

const literals =
  /\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)|"""(?:[^\\]|\\[^])*?"""|"(?:[^"\\\n]|\\[^\n])*"?|'(?:[^'\\\n]|\\[^\n])*'?/g;

/** A literal or comment without an end: the parser gives up far from it, often at the first line. */
function findUnclosed(text: string): TreeError | undefined {
  for (const { 0: piece, index } of text.matchAll(literals)) {
    const message = unclosedMessage(piece);
    if (message !== undefined) return { place: placeOfOffset(text, index), message };
  }
  return undefined;
}

function unclosedMessage(piece: string): string | undefined {
  if (piece.startsWith('/*')) {
    return piece.length >= 4 && piece.endsWith('*/') ? undefined : 'Unclosed comment';
  }
  if (/^"(?:[^"\\]|\\[^])*$/.test(piece)) return 'Unclosed string literal';
  return /^'(?:[^'\\]|\\[^])*$/.test(piece) ? 'Unclosed character literal' : undefined;
}
