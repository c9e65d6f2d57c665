import type { Options } from 'prettier';
import type { Node } from 'web-tree-sitter';
import type { CodeContext } from '../code-context.ts';
import { syntaxError } from '../errors.ts';
import type { SourceFile } from '../source-files.ts';
import { prettierStyle, prettierVersion, runPrettier } from './prettier.ts';
import { type FormatEngine, packageVersion } from './engine.ts';
import { firstTreeError, type SyntaxTrees, type TreeError } from '../syntax-tree.ts';
import { placeOfOffset } from '../text-positions.ts';

/** Passes after which a result that still changes is given up; nearly all settle in the second. */
const maxPasses = 4;

/**
 * Where the plugin's result may change when it is formatted again: at a comment inside a statement,
 * and around parentheses it found redundant. Of 1059 real files a fifth had such a place, and all 20
 * that did change were among them or were refused.
 */
const mayChangeAgain =
  /[^;{},\s*] \/[/*]|(?:&&|\|\|) \(|(?:if|while|switch|return) \(\(|^\s*\/\/[^\n]*\n[^\n]*(?:\|\||&&)$/m;

/** Java by Prettier and its Java plugin, until the result stays the same. */
export const formatJava: FormatEngine = async (job, context) => {
  const { file } = job;
  const mistake = await findJavaMistake(file.text, context.trees);
  // The plugin knows newer syntax than this tree's grammar.
  if (mistake && mistake !== 'not parsed') throw syntaxError(file, mistake.place, mistake.message);
  const { default: java } = await import('prettier-plugin-java');
  const options: Options = { parser: 'java', plugins: [java], ...prettierStyle(job) };
  const engine = `prettier ${prettierVersion()} with prettier-plugin-java ${packageVersion('prettier-plugin-java')}`;
  let text = await runOnce(file, options, context);
  for (let pass = 2; mayChangeAgain.test(text); pass += 1) {
    const again = await runOnce({ ...file, text }, options, context);
    if (again === text) break;
    if (pass === maxPasses) throw new Error('its result changes again whenever it is formatted');
    text = again;
  }
  return { text, engine, guard: 'java' };
};

/** The plugin refuses what it cannot parse but does not say where: tree-sitter does. */
async function runOnce(file: SourceFile, options: Options, context: CodeContext): Promise<string> {
  try {
    return await runPrettier(file, options);
  } catch (error) {
    if (!(error instanceof Error) || !error.message.startsWith('Failed to parse')) throw error;
    const found = await firstJavaError(file.text, context.trees);
    if (!found) throw new Error('its parser does not know some construct in it', { cause: error });
    throw syntaxError(file, found.place, found.message);
  }
}

const reservedWords = new Set(
  'abstract boolean break byte case catch char class const continue default do double else extends false final finally float for goto if implements import instanceof int interface long native new null package private protected public return short static super switch synchronized this throw throws transient true try void volatile while'.split(
    ' ',
  ),
);

/** Expressions that may not stand alone as a statement; behind the `->` of a `switch` they may. */
const noStatements = new Set(
  'binary_expression unary_expression ternary_expression cast_expression instanceof_expression lambda_expression method_reference parenthesized_expression identifier field_access array_access this decimal_integer_literal hex_integer_literal decimal_floating_point_literal string_literal character_literal true false null_literal'.split(
    ' ',
  ),
);

interface JavaMistake {
  readonly node: Node;
  readonly message: string;
}

/** What is wrong with a node, if it is, by its type. */
const rules: Readonly<Record<string, (node: Node) => JavaMistake | undefined>> = {
  identifier: reservedName,
  type_identifier: reservedName,
  modifiers: (node) => mistakeAt(node, repeatedModifier(node)),
  expression_statement: noStatement,
  character_literal: (node) => mistakeAt(node, badCharacter(node)),
  escape_sequence: (node) => mistakeAt(node, badEscape(node)),
  void_type: (node) =>
    mistakeAt(node, isVariable(node.parent) ? 'A variable cannot be void' : undefined),
  constructor_declaration: strangeConstructor,
};
const ruledTypes = Object.keys(rules);

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
 * in what it accepted. By node types, which takes a third of the time of a query with conditions.
 */
async function findJavaMistake(
  text: string,
  trees: SyntaxTrees,
): Promise<TreeError | 'not parsed' | undefined> {
  const tree = await trees.parse('java', text);
  try {
    if (tree.rootNode.hasError) return 'not parsed';
    return firstMistake(tree.rootNode, text);
  } finally {
    tree.delete();
  }
}

function firstMistake(root: Node, text: string): TreeError | undefined {
  let first: JavaMistake | undefined;
  for (const node of root.descendantsOfType(ruledTypes)) {
    const mistake = rules[node.type]?.(node);
    if (mistake && (!first || mistake.node.startIndex < first.node.startIndex)) first = mistake;
  }
  return first && { place: placeOfOffset(text, first.node.startIndex), message: first.message };
}

function mistakeAt(node: Node, message: string | undefined): JavaMistake | undefined {
  return message === undefined ? undefined : { node, message };
}

function reservedName(node: Node): JavaMistake | undefined {
  const { text } = node;
  return reservedWords.has(text)
    ? { node, message: `"${text}" is a keyword and cannot be a name` }
    : undefined;
}

function noStatement(node: Node): JavaMistake | undefined {
  if (node.parent?.type === 'switch_rule') return undefined;
  const expression = node.namedChildren.find((child) => noStatements.has(child.type));
  return expression && { node: expression, message: 'This expression is no statement' };
}

function badEscape({ text }: Node): string | undefined {
  return /^\\(?:[btnfrs"'\\\r\n]|[0-7]{1,3}|u+[\da-fA-F]{4})$/.test(text)
    ? undefined
    : `"${text}" is no escape sequence`;
}

const variables = new Set(['local_variable_declaration', 'field_declaration', 'formal_parameter']);

function isVariable(node: Node | null): boolean {
  return node !== null && variables.has(node.type);
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

function strangeConstructor(node: Node): JavaMistake | undefined {
  const name = node.childForFieldName('name');
  const type = node.parent?.type.endsWith('_body_declarations')
    ? node.parent.parent?.parent
    : node.parent?.parent;
  const owner = type?.childForFieldName('name')?.text;
  return name === null || owner === undefined || owner === name.text
    ? undefined
    : { node: name, message: `The method "${name.text}" has no return type` };
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
