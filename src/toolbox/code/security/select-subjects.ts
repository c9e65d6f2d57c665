import type { Node, QueryMatch } from 'web-tree-sitter';
import type { Setting, Subject } from './judge-node.ts';
import type { RuleFile } from './security-rules.ts';

/** What is known of a whole file before its parts are judged. */
export interface FileFacts {
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
export function settingOf(match: QueryMatch, at: Node, facts: FileFacts): Setting {
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
export function importedName(match: QueryMatch): string {
  const module = unquoted(captured(match, 'module')?.text ?? '').replace(/^node:/, '');
  const member = captured(match, 'member')?.text;
  return member === undefined ? module : `${module}.${member}`;
}

export function captured(match: QueryMatch, name: string): Node | undefined {
  return match.captures.find((capture) => capture.name === name)?.node;
}

/** Children that are not punctuation and not comments. */
function partsOf(node: Node | null): readonly Node[] {
  return node?.namedChildren.filter((child) => !child.isExtra) ?? [];
}
