import type { Node } from 'web-tree-sitter';
import { TooComplexError } from '../../code/errors.ts';
import type { GrammarName, SyntaxTrees } from '../../code/syntax-tree.ts';
import type { Passage } from '../library.ts';
import { splitLong } from './split-long.ts';

/** Classes and interfaces up to this size stay whole; larger ones are split into their members. */
const wholeChars = 1_200;
/** Members without a comment of their own are kept together up to this size. */
const groupChars = 800;
/** A declaration is cut only above this size: half of one says little. */
const maxDeclarationChars = 8_000;
/** Namespaces and classes inside one another are followed this far. */
const maxNesting = 6;

/** A TypeScript declaration file: a passage per declaration, and per member of large ones. */
export function splitDeclarations(text: string, trees: SyntaxTrees): Promise<Passage[]> {
  return split(text, { trees, grammar: 'typescript' }, (root) => typescriptIn(root, '', 0));
}

/** The docstrings of a Python module, its classes and functions, each with its signature. */
export function splitPython(text: string, trees: SyntaxTrees, module: string): Promise<Passage[]> {
  return split(text, { trees, grammar: 'python' }, (root) => [
    ...moduleDocstring(root, module),
    ...pythonIn(root, { scope: module, isStub: false, nesting: 0 }),
  ]);
}

/** The signatures of a stub file (`.pyi`): small classes whole, functions in groups. */
export function splitStub(text: string, trees: SyntaxTrees, module: string): Promise<Passage[]> {
  return split(text, { trees, grammar: 'python' }, (root) =>
    pythonIn(root, { scope: module, isStub: true, nesting: 0 }),
  );
}

/** The package comment and the exported declarations of a Go file, each with the comment above it. */
export function splitGo(text: string, trees: SyntaxTrees): Promise<Passage[]> {
  return split(text, { trees, grammar: 'go' }, goIn);
}

/** Four times what valid text needs. Shorter than for the code tools: documents are read on the main thread. */
const baseMs = 250;
const maxMsPerCharacter = 0.002;

/** A declaration and the part of the text that shows it. */
interface Declaration {
  readonly scope: string;
  readonly name: string;
  /** The first of its comments or decorators, or itself. */
  readonly from: Node;
  readonly end: number;
  readonly isDocumented: boolean;
  /** Shown together with its neighbours where none of them is documented. */
  readonly isMember?: boolean;
}

/** A text its parser does not get through in time has no passages. */
async function split(
  text: string,
  { trees, grammar }: { readonly trees: SyntaxTrees; readonly grammar: GrammarName },
  find: (root: Node) => Iterable<Declaration>,
): Promise<Passage[]> {
  const maxMs = baseMs + text.length * maxMsPerCharacter;
  const tree = await trees.parse(grammar, text, maxMs).catch((error: unknown) => {
    if (error instanceof TooComplexError) return undefined;
    throw error;
  });
  if (!tree) return [];
  try {
    return joinGroups(text, find(tree.rootNode));
  } finally {
    tree.delete();
  }
}

/** Overloads in one passage, and neighbouring members without a comment. */
function joinGroups(text: string, declarations: Iterable<Declaration>): Passage[] {
  const passages: Passage[] = [];
  let group: Declaration[] = [];
  let size = 0;
  const emit = (): void => {
    const [first] = group;
    if (!first) return;
    const headings = new Set(group.map(({ scope, name }) => join(scope, name)));
    const lines = group.flatMap(({ from, end }) =>
      text.slice(from.startIndex, end).trimEnd().split('\n'),
    );
    const line = first.from.startPosition.row + 1;
    const heading = [...headings].join(', ');
    passages.push(...splitLong({ heading, line, lines, maxChars: maxDeclarationChars }));
    group = [];
    size = 0;
  };
  for (const next of declarations) {
    const previous = group.at(-1);
    const length = next.end - next.from.startIndex;
    const isNear = previous?.scope === next.scope;
    const isOverload = previous?.name === next.name && size + length <= maxDeclarationChars;
    const areMembers = previous?.isMember === true && next.isMember === true;
    const arePlain = !previous?.isDocumented && !next.isDocumented && size + length <= groupChars;
    if (!isNear || !(isOverload || (areMembers && arePlain))) emit();
    group.push(next);
    size += length;
  }
  emit();
  return passages;
}

function join(scope: string, name: string): string {
  return [scope, name].filter(Boolean).join('.');
}

interface Commented {
  readonly node: Node;
  /** The first comment right above it, or the node itself. */
  readonly from: Node;
  readonly isInternal: boolean;
}

/** The named children that are no comments, each with the comments that end on the line before it. */
function* commented(parent: Node): Generator<Commented> {
  let comments: Node[] = [];
  for (const node of parent.namedChildren) {
    const last = comments.at(-1);
    if (last && node.startPosition.row - last.endPosition.row > 1) comments = [];
    if (node.type === 'comment') comments.push(node);
    else {
      const isInternal = comments.some(({ text }) => text.includes('@internal'));
      yield { node, from: comments[0] ?? node, isInternal };
      comments = [];
    }
  }
}

function* typescriptIn(parent: Node, scope: string, nesting: number): Generator<Declaration> {
  for (const { node, from, isInternal } of commented(parent)) {
    const declared = unwrap(node);
    const name = typescriptName(declared);
    const body =
      declared.childForFieldName('body') ??
      declared.namedChildren.find(({ type }) => type === 'statement_block');
    const isNamespace = declared.type === 'internal_module';
    if (body && (isNamespace || name === undefined || declared.type === 'module')) {
      const inner = isNamespace ? join(scope, name ?? '') : scope;
      if (nesting < maxNesting) yield* typescriptIn(body, inner, nesting + 1);
    } else if (name !== undefined && !isInternal) {
      const isWhole = !body || node.endIndex - from.startIndex <= wholeChars;
      const end = isWhole ? node.endIndex : body.startIndex;
      yield { scope, name, from, end, isDocumented: from !== node };
      if (!isWhole) yield* typescriptMembers(body, join(scope, name));
    }
  }
}

/** The declaration inside `export`, `export default` and `declare`. */
function unwrap(node: Node): Node {
  const wrappers = ['export_statement', 'ambient_declaration', 'expression_statement'];
  if (!wrappers.includes(node.type)) return node;
  const inner = node.childForFieldName('declaration') ?? node.namedChildren.at(-1);
  return inner && inner.type !== 'statement_block' ? unwrap(inner) : node;
}

function typescriptName(node: Node): string | undefined {
  const named = /^(?:lexical|variable)_declaration$/.test(node.type)
    ? node.namedChildren.find(({ type }) => type === 'variable_declarator')
    : node;
  const isDeclaration = /_declaration$|_signature$|_declarator$|module$/.test(named?.type ?? '');
  return (isDeclaration && named?.childForFieldName('name')?.text) || undefined;
}

function* typescriptMembers(body: Node, scope: string): Generator<Declaration> {
  for (const { node, from, isInternal } of commented(body)) {
    const [name = ''] = (node.childForFieldName('name') ?? node).text
      .replaceAll(/["']/g, '')
      .split(/[(<:?=\s]/, 1);
    const isPrivate = /^#|^private\b/.test(name) || node.firstNamedChild?.text === 'private';
    if (isInternal || isPrivate) continue;
    const isDocumented = from.text.startsWith('/**');
    // The semicolon of a member is no part of its node.
    const end = node.endIndex + (node.nextSibling?.type === ';' ? 1 : 0);
    yield { scope, name: name || 'new', from, end, isDocumented, isMember: true };
  }
}

interface PythonScope {
  readonly scope: string;
  readonly isStub: boolean;
  readonly nesting: number;
}

function* moduleDocstring(root: Node, module: string): Generator<Declaration> {
  const docstring = docstringOf(root);
  if (!docstring) return;
  yield { scope: '', name: module, from: docstring, end: docstring.endIndex, isDocumented: true };
}

function* pythonIn(parent: Node, within: PythonScope): Generator<Declaration> {
  const { scope, isStub, nesting } = within;
  if (nesting > maxNesting) return;
  for (const node of parent.namedChildren) {
    // Definitions under `if` and `try` belong to the module or class around them.
    if (/^(?:if|try|with|else|elif|except|finally)_|^block$/.test(node.type)) {
      yield* pythonIn(node, { ...within, nesting: nesting + 1 });
    }
    const definition = node.childForFieldName('definition') ?? node;
    const isClass = definition.type === 'class_definition';
    if (!isClass && definition.type !== 'function_definition') continue;
    const name = definition.childForFieldName('name')?.text ?? '';
    const body = definition.childForFieldName('body');
    if (!body || !isPublic(name)) continue;
    const docstring = docstringOf(body);
    const isWhole = isStub && (!isClass || node.endIndex - node.startIndex <= wholeChars);
    const end = isWhole ? node.endIndex : (docstring?.endIndex ?? body.startIndex);
    const isDocumented = docstring !== undefined;
    // The name of a class alone says nothing; its methods say where they belong.
    if (isWhole || !isClass || isDocumented) {
      yield { scope, name, from: node, end, isDocumented, isMember: !isClass };
    }
    if (isClass && !isWhole) {
      yield* pythonIn(body, { scope: join(scope, name), isStub, nesting: nesting + 1 });
    }
  }
}

function isPublic(name: string): boolean {
  return !name.startsWith('_') || name === '__init__' || name === '__call__';
}

function docstringOf(body: Node): Node | undefined {
  const first = body.namedChildren.find(({ type }) => type !== 'comment');
  const string = first?.type === 'expression_statement' ? first.firstNamedChild : undefined;
  return string?.type === 'string' ? string : undefined;
}

function* goIn(root: Node): Generator<Declaration> {
  let scope = '';
  for (const { node, from } of commented(root)) {
    const isDocumented = from !== node;
    if (node.type === 'package_clause') {
      scope = node.firstNamedChild?.text ?? '';
      const name = `package ${scope}`;
      if (isDocumented) yield { scope: '', name, from, end: node.endIndex, isDocumented };
      continue;
    }
    const name = goName(node);
    if (name === undefined) continue;
    // A function is shown by its head; a type or a group as a whole.
    const body = node.type === 'type_declaration' ? undefined : node.childForFieldName('body');
    yield { scope, name, from, end: body?.startIndex ?? node.endIndex, isDocumented };
  }
}

/** The exported name of a declaration, with its receiver; of a group of declarations its keyword. */
function goName(node: Node): string | undefined {
  const keyword = /^(type|const|var)_declaration$/.exec(node.type)?.[1];
  if (keyword !== undefined && /^\w+\s*\(/.test(node.text)) return keyword;
  const named = keyword === undefined ? node : node.firstNamedChild;
  const name = (named?.childForFieldName('name') ?? named?.firstNamedChild)?.text;
  const receiver = node.childForFieldName('receiver');
  const owner = receiver ? /(\w+)(?:\[[^\]]*\])?\)$/.exec(receiver.text)?.[1] : undefined;
  const names = [owner, name].filter((one) => one !== undefined);
  return names.length > 0 && names.every((one) => /^\p{Lu}/u.test(one))
    ? names.join('.')
    : undefined;
}
