import type { Language as Grammar, Node, Query, QueryMatch, Tree } from 'web-tree-sitter';
import type { CodeContext } from '../code-context.ts';
import { TooComplexError } from '../errors.ts';
import { inlinePath, type SourceFile } from '../source-files.ts';
import { firstErrorIn, type GrammarName } from '../syntax-tree.ts';
import { holds, type Setting, type Subject } from './judge-node.ts';
import type { FileScan } from './scan-file-security.ts';
import {
  type FileRule,
  findingOf,
  type NodeMatch,
  readRules,
  type RuleFile,
  type SecurityFinding,
  startOfText,
} from './security-rules.ts';

/** Runs the rules of a language over a file: tree-sitter queries with conditions on what they capture. */
export async function scanTree(file: SourceFile, context: CodeContext): Promise<FileScan> {
  const parsed = await parseTree(file, context);
  if (!parsed) return { findings: [], unparsed: startOfText };
  const { tree, grammar } = parsed;
  try {
    const rules = readRules(file.language === 'typescript' ? 'javascript' : file.language);
    const compiled = await compileOnce(rules, grammar, context);
    const endsAt = performance.now() + baseMs + file.text.length * maxMsPerCharacter;
    const progressCallback = (): boolean => performance.now() > endsAt;
    const matches = compiled.query.matches(tree.rootNode, { progressCallback });
    const cutOff = progressCallback() ? startOfText : undefined;
    const findings = matchRules(matches, file, { rules, ...compiled });
    return { findings, unparsed: firstErrorIn(tree) ?? cutOff };
  } finally {
    tree.delete();
  }
}

/** A query takes a microsecond per character of valid text, and far longer where the grammar did not fit. */
const baseMs = 1_000;
const maxMsPerCharacter = 0.005;

interface Compiled {
  readonly query: Query;
  /** The shape of each pattern of the query. */
  readonly shapes: readonly string[];
  /** The conditions to try for each shape. */
  readonly byShape: ReadonlyMap<string, readonly Candidate[]>;
}

interface Candidate {
  readonly rule: FileRule;
  readonly when: NodeMatch['when'];
}

const compiledFor = new WeakMap<Grammar, Compiled>();

/** A query takes milliseconds to compile; it lives as long as its grammar. */
async function compileOnce(
  { shapes, rules }: RuleFile,
  name: GrammarName,
  { trees }: CodeContext,
): Promise<Compiled> {
  const grammar = await trees.grammar(name);
  const known = compiledFor.get(grammar);
  if (known) return known;
  const { Query } = await import('web-tree-sitter');
  const used = Object.entries(shapes).filter(([, shape]) => shape.grammars?.includes(name) ?? true);
  const entries = [...rules.values()].flatMap((rule) =>
    rule.match.flatMap((match) => match.on.map((shape) => ({ shape, rule, when: match.when }))),
  );
  const compiled = {
    query: new Query(grammar, used.map(([, shape]) => shape.query).join('\n')),
    shapes: used.map(([shape]) => shape),
    byShape: Map.groupBy(entries, ({ shape }) => shape),
  };
  compiledFor.set(grammar, compiled);
  return compiled;
}

function matchRules(
  matches: readonly QueryMatch[],
  file: SourceFile,
  { rules, shapes, byShape }: Compiled & { readonly rules: RuleFile },
): SecurityFinding[] {
  const facts: FileFacts = {
    text: file.text,
    rules,
    aliases: new Map(),
    carriers: new Set(),
    assigned: new Map(),
  };
  for (const match of matches) noteFacts(shapes[match.patternIndex] ?? '', match, facts);
  const found = new Map<string, SecurityFinding>();
  for (const match of matches) {
    const candidates = byShape.get(shapes[match.patternIndex] ?? '');
    const at = captured(match, 'at');
    if (!candidates || !at) continue;
    const setting = settingOf(match, at, facts);
    for (const { rule, when } of candidates) {
      const isMatch = Object.entries(when).every(([selector, test]) =>
        holds(setting.select(selector), test, setting),
      );
      const { row, column } = at.startPosition;
      if (isMatch)
        found.set(
          `${rule.name} ${at.startIndex}`,
          findingOf(rule, { file: file.path, line: row + 1, column: column + 1 }),
        );
    }
  }
  return [...found.values()];
}

/** Remembers imports (`alias …`), what variables are given (`assign`, `declare`), and which hold what a client sent (`carrier`). */
function noteFacts(shape: string, match: QueryMatch, facts: FileFacts): void {
  if (shape.startsWith('alias')) {
    const local = captured(match, 'local') ?? captured(match, 'member');
    if (local) facts.aliases.set(local.text, importedName(match));
  }
  const value = captured(match, 'value');
  if (value && /^(?:assign|declare)$/.test(shape)) {
    const name = (captured(match, 'target') ?? captured(match, 'key'))?.text ?? '';
    const known = facts.assigned.get(name) ?? [];
    known.push({ value, endIndex: value.endIndex });
    facts.assigned.set(name, known);
  }
  const target = captured(match, 'variable');
  if (shape !== 'carrier' || !value || !target) return;
  const setting = settingOf(match, value, facts);
  if (!holds(setting.select('value'), { is: 'request' }, setting)) return;
  const names = target.descendantsOfType(['identifier', 'shorthand_property_identifier_pattern']);
  for (const { text } of names) facts.carriers.add(text);
}

/** A file as a tree, and the grammar that fits it. The caller must `delete()` the tree. */
interface ParsedFile {
  readonly tree: Tree;
  readonly grammar: GrammarName;
}

/** Parses a file of a language with a grammar; `undefined` for broken text the grammar does not get through in time. */
export async function parseTree(
  { path, language, text }: SourceFile,
  { trees }: CodeContext,
): Promise<ParsedFile | undefined> {
  if (language === 'sql' || language === 'html') return undefined;
  const grammar = language === 'typescript' && path.endsWith('x') ? 'tsx' : language;
  try {
    const tree = await trees.parse(grammar, text);
    // TypeScript without a name may be either dialect.
    if (grammar !== 'typescript' || path !== inlinePath || !tree.rootNode.hasError) {
      return { tree, grammar };
    }
    const other = await trees.parse('tsx', text);
    if (other.rootNode.hasError) {
      other.delete();
      return { tree, grammar };
    }
    tree.delete();
    return { tree: other, grammar: 'tsx' };
  } catch (error) {
    if (error instanceof TooComplexError) return undefined;
    throw error;
  }
}

/** What is known of a whole file before its parts are judged. */
interface FileFacts {
  readonly text: string;
  readonly rules: RuleFile;
  /** Local name → what it stands for: `exec` → `child_process.exec`. */
  readonly aliases: Map<string, string>;
  readonly carriers: Set<string>;
  /** Variable → what it is given, in the order of the file. */
  readonly assigned: Map<string, Assigned[]>;
}

interface Assigned {
  readonly value: Node;
  readonly endIndex: number;
}

/** What conditions see of one match. */
function settingOf(match: QueryMatch, at: Node, facts: FileFacts): Setting {
  const known = new Map<string, readonly Subject[]>();
  const setting: Setting = {
    kinds: facts.rules.kinds,
    carriers: facts.carriers,
    valuesOf: (variable) => valuesOf(variable, facts),
    select: (selector) => {
      const subjects = known.get(selector) ?? select(selector, { match, at, facts });
      known.set(selector, subjects);
      return subjects;
    },
  };
  return setting;
}

/** What a variable was given before it is used, in the same function. */
function valuesOf(variable: Node, facts: FileFacts): readonly Subject[] {
  const given = facts.assigned.get(variable.text);
  if (!given) return [];
  const { startIndex } = variable;
  const scope = functionAround(variable)?.id;
  const values = given
    .filter(({ endIndex }) => endIndex <= startIndex)
    .slice(-maxAssigned)
    .filter(({ value }) => functionAround(value)?.id === scope)
    .map(({ value }) => unwrapped(value, facts.rules.kinds?.wrapped) ?? value);
  // Text may be added bit by bit: what it is, the first part says.
  const source = values.map((value) => sourceOf(value, facts)).join(' ');
  return values.map((node) => ({ node, source }));
}

const maxAssigned = 20;
const functionType =
  /(?:^|_)(?:function|method|func|lambda|closure|constructor)(?:_(?:declaration|definition|item|expression|literal))?$/;
const maxDepth = 100;

function functionAround(node: Node): Node | undefined {
  let at = node.parent;
  for (let depth = 0; depth < maxDepth && at; depth += 1) {
    if (functionType.test(at.type)) return at;
    at = at.parent;
  }
  return undefined;
}

interface Selecting {
  readonly match: QueryMatch;
  readonly at: Node;
  readonly facts: FileFacts;
}

/**
 * The subjects a selector names: `file`, `imported` (the full name of an import), `around` (names of what encloses
 * the match), `argument 0`, `any argument`, `last argument`, a capture of the query or a field of the node. `.x` goes
 * on to a field or to the value of key x.
 */
function select(selector: string, { match, at, facts }: Selecting): readonly Subject[] {
  if (selector === 'file') return [{ source: facts.text }];
  if (selector === 'imported') return [{ source: importedName(match) }];
  if (selector === 'around') return [{ source: namesAround(at) }];
  const [first = '', ...steps] = selector.split('.');
  const roots = argumentsAt(first, at) ?? [captured(match, first) ?? at.childForFieldName(first)];
  const wrapped = facts.rules.kinds?.wrapped;
  const unwrap = (node: Node | null | undefined): Node | undefined => unwrapped(node, wrapped);
  const nodes = roots.map((root) =>
    steps.reduce<Node | undefined>((node, step) => unwrap(partNamed(node, step)), unwrap(root)),
  );
  const read = first === 'name' ? nameOf : first === 'key' ? keyOf : sourceOf;
  return nodes.flatMap((node) => (node ? [{ node, source: read(node, facts) }] : []));
}

function argumentsAt(selector: string, at: Node): readonly (Node | undefined)[] | undefined {
  if (!selector.includes('argument')) return undefined;
  const list = at.childForFieldName('arguments');
  const given = list && /^arguments?(?:_list)?$/.test(list.type) ? partsOf(list) : [];
  if (selector === 'arguments') return [list ?? undefined];
  if (selector === 'any argument') return given;
  return [given.at(selector === 'last argument' ? -1 : Number(selector.split(' ')[1]))];
}

function unwrapped(node: Node | null | undefined, wrapped: RegExp | undefined): Node | undefined {
  let inner = node ?? undefined;
  for (let depth = 0; depth < maxWraps && inner && wrapped?.test(inner.type); depth += 1) {
    inner = partsOf(inner)[0];
  }
  return inner;
}

const maxWraps = 12;

function partNamed(node: Node | undefined, name: string): Node | null | undefined {
  if (!node) return undefined;
  const parts = partsOf(node);
  const pair = parts.find((part) => {
    const key = part.childForFieldName('key') ?? partsOf(part)[0];
    return /^(?:pair|keyed_element)$/.test(part.type) && unquoted(key?.text ?? '') === name;
  });
  if (pair) return partsOf(pair)[1];
  const isShorthand = ({ type, text }: Node): boolean =>
    type === 'shorthand_property_identifier' && text === name;
  return parts.find(isShorthand) ?? node.childForFieldName(name);
}

const maxSource = 2_000;
const maxName = 400;

/** The source of a node, cut where nothing decisive can follow. */
function sourceOf(node: Node, { text }: FileFacts): string {
  return text.slice(node.startIndex, Math.min(node.endIndex, node.startIndex + maxSource));
}

/** The name of a property, with or without quotes around it. */
function keyOf(node: Node, facts: FileFacts): string {
  return unquoted(sourceOf(node, facts));
}

/** The dotted name of what is called, without spaces, imports resolved. The end of a long chain decides. */
function nameOf(node: Node, { text, aliases }: FileFacts): string {
  const source = text.slice(Math.max(node.startIndex, node.endIndex - maxName), node.endIndex);
  const name = source
    .replaceAll(/\s+|[!?](?=\.)/g, '')
    .replaceAll(/\.?\[["'`](\w+)["'`]\]/g, '.$1');
  const [first = ''] = /^[\w$]+/.exec(name) ?? [];
  const meaning = aliases.get(first);
  return meaning === undefined ? name : meaning + name.slice(first.length);
}

function unquoted(text: string): string {
  return text.replaceAll(/^["'`]|["'`]$/g, '');
}

const maxEnclosing = 12;

/** The names of functions, variables and assignments around a node. */
function namesAround(node: Node): string {
  const names: string[] = [];
  let at = node.parent;
  for (let step = 0; step < maxEnclosing && at; step += 1) {
    const name = at.childForFieldName('name') ?? at.childForFieldName('left');
    if (name) names.push(name.text.slice(0, maxName));
    at = at.parent;
  }
  return names.join(' ');
}

/** `os.path` for `from os import path`. */
function importedName(match: QueryMatch): string {
  const module = unquoted(captured(match, 'module')?.text ?? '').replace(/^node:/, '');
  const member = captured(match, 'member')?.text;
  return member === undefined ? module : `${module}.${member}`;
}

function captured(match: QueryMatch, name: string): Node | undefined {
  return match.captures.find((capture) => capture.name === name)?.node;
}

/** Children that are not punctuation and not comments. */
function partsOf(node: Node | null): readonly Node[] {
  return node?.namedChildren.filter((child) => !child.isExtra) ?? [];
}
