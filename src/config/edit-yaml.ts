import { isDeepStrictEqual } from 'node:util';
import type { Document, Node, Pair, YAMLMap } from 'yaml';

/** One change of a YAML text: the value at `path` becomes `value`, or goes away when that is undefined. */
export interface YamlChange {
  readonly path: readonly string[];
  readonly value: unknown;
}

type Yaml = typeof import('yaml');

const indentStep = 2;
/** A long line stays one: folding would change lines the edit is not about. */
const noFolding = { lineWidth: 0 } as const;

/**
 * The text with the change made and every other byte as it was, where the text is written in
 * blocks. Other notations (JSON, aliases) are written anew by the YAML library, which keeps comments.
 * The text must be good YAML.
 */
export async function editYaml(text: string, change: YamlChange): Promise<string> {
  const yaml = await import('yaml');
  const expected = changeDocument(yaml, text, change);
  const edited = cutAndPaste(yaml, text, change);
  const isRight = edited !== undefined && saysTheSame(yaml, edited, expected);
  return isRight ? edited : expected.toString(noFolding);
}

function saysTheSame(yaml: Yaml, text: string, expected: Document.Parsed): boolean {
  const document = yaml.parseDocument(text);
  return (
    document.errors.length === 0 &&
    isDeepStrictEqual(withoutNothing(document.toJS()), withoutNothing(expected.toJS()))
  );
}

function changeDocument(yaml: Yaml, text: string, { path, value }: YamlChange): Document.Parsed {
  const document = yaml.parseDocument(text);
  for (let depth = 1; depth < path.length && document.contents !== null; depth += 1) {
    // The library changes maps, and neither the nothing behind `mcpServers:` nor an alias.
    const outer = path.slice(0, depth);
    const node = document.getIn(outer, true);
    if (yaml.isAlias(node)) document.setIn(outer, document.createNode(node.toJS(document)));
    else if (isNothing(yaml, node)) document.setIn(outer, document.createNode({}));
  }
  if (value !== undefined) document.setIn(path, document.createNode(value));
  else if (document.hasIn(path)) document.deleteIn(path);
  return document;
}

/** A map without entries may be written as nothing at all. */
function withoutNothing(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== null && !isDeepStrictEqual(inner, {}))
      .map(([key, inner]) => [key, withoutNothing(inner)]),
  );
}

/** The edit on the text itself; undefined where the text is not written in blocks. */
function cutAndPaste(yaml: Yaml, text: string, change: YamlChange): string | undefined {
  const document = yaml.parseDocument(text);
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const edit = { yaml, text, document, newline };
  if (document.contents === null) {
    if (change.value === undefined) return text;
    return appendBlock(edit, nest(change.path, change.value), 0);
  }
  let map: unknown = document.contents;
  for (const [depth, name] of change.path.entries()) {
    if (!yaml.isMap(map)) return undefined;
    const pair = findPair(edit, map, name);
    const isLast = depth === change.path.length - 1;
    if (pair === undefined) {
      if (change.value === undefined) return text;
      const value = nest(change.path.slice(depth + 1), change.value);
      return map.flow === true
        ? insertInline(edit, map, [name, value])
        : insertAfter(edit, map, { [name]: value });
    }
    if (map.flow === true && isLast && change.value === undefined) return undefined;
    if (isLast) {
      return change.value === undefined
        ? removePair(edit, pair)
        : replaceScalar(edit, pair, change.value);
    }
    if (isNothing(yaml, pair.value) && map.flow !== true && change.value !== undefined) {
      return fillNothing(edit, pair, nest(change.path.slice(depth + 1), change.value));
    }
    map = pair.value;
  }
  return undefined;
}

interface Edit {
  readonly yaml: Yaml;
  readonly text: string;
  readonly document: Document.Parsed;
  readonly newline: string;
}

function nest(path: readonly string[], value: unknown): unknown {
  return path.reduceRight((inner: unknown, name) => ({ [name]: inner }), value);
}

function findPair({ yaml }: Edit, map: YAMLMap, name: string): Pair | undefined {
  return map.items.find(({ key }) => yaml.isScalar(key) && String(key.value) === name);
}

/** True for the nothing behind `mcpServers:`, and for the `{}` some write there. */
function isNothing(yaml: Yaml, node: unknown): boolean {
  if (yaml.isMap(node)) return node.items.length === 0;
  return node === null || (yaml.isScalar(node) && node.value === null && node.source === '');
}

function appendBlock(edit: Edit, value: unknown, column: number): string {
  const { text, newline } = edit;
  const isClosed = text === '' || text.endsWith('\n');
  return `${text}${isClosed ? '' : newline}${renderBlock(edit, value, column)}`;
}

/** The new entry goes below the last one of the map, in the column of its siblings. */
function insertAfter(edit: Edit, map: YAMLMap, value: unknown): string | undefined {
  const first = startOf(map.items[0]?.key);
  const last = map.items.at(-1);
  const end = endOf(last?.value) ?? endOf(last?.key);
  if (first === undefined || end === undefined) return undefined;
  return insertLines(edit, end, renderBlock(edit, value, columnOf(edit.text, first)));
}

function fillNothing(edit: Edit, pair: Pair, value: unknown): string | undefined {
  const start = startOf(pair.key);
  const end = endOf(pair.key);
  if (start === undefined || end === undefined) return undefined;
  const column = columnOf(edit.text, start) + indentStep;
  const block = renderBlock(edit, value, column);
  if (!edit.yaml.isMap(pair.value)) return insertLines(edit, end, block);
  const [from = end, to = end] = rangeOf(pair.value) ?? [];
  const text = `${edit.text.slice(0, from).trimEnd()}${edit.text.slice(to)}`;
  return insertLines({ ...edit, text }, end, block);
}

/** In `{…}` the new entry goes behind the last one, on a line of its own when that has one. */
function insertInline(
  { text, newline }: Edit,
  map: YAMLMap,
  [name, value]: readonly [string, unknown],
): string | undefined {
  const last = map.items.at(-1);
  const start = startOf(last?.key);
  const end = endOf(last?.value);
  if (start === undefined || end === undefined) return undefined;
  const column = columnOf(text, start);
  const isOnOwnLine = column > 0 && text.slice(start - column, start).trim() === '';
  const key = text[start] === '"' ? JSON.stringify(name) : name;
  const indent = `${newline}${' '.repeat(column)}`;
  const written = isOnOwnLine
    ? JSON.stringify(value, null, indentStep).replaceAll('\n', indent)
    : JSON.stringify(value);
  const entry = `,${isOnOwnLine ? indent : ' '}${key}: ${written}`;
  return `${text.slice(0, end)}${entry}${text.slice(end)}`;
}

function removePair({ text }: Edit, pair: Pair): string | undefined {
  const start = startOf(pair.key);
  const end = endOf(pair.value) ?? endOf(pair.key);
  if (start === undefined || end === undefined) return undefined;
  const lineStart = start - columnOf(text, start);
  return `${text.slice(0, lineStart)}${text.slice(lineEndAfter(text, end))}`;
}

function replaceScalar({ yaml, text }: Edit, pair: Pair, value: unknown): string | undefined {
  const isSimple = value === null || typeof value !== 'object';
  if (!isSimple || !yaml.isScalar(pair.value) || isNothing(yaml, pair.value)) return undefined;
  const start = startOf(pair.value);
  const end = endOf(pair.value);
  if (start === undefined || end === undefined) return undefined;
  return `${text.slice(0, start)}${yaml.stringify(value, noFolding).trimEnd()}${text.slice(end)}`;
}

function renderBlock({ yaml, newline }: Edit, value: unknown, column: number): string {
  const lines = yaml
    .stringify(value, { ...noFolding, indent: indentStep })
    .trimEnd()
    .split('\n');
  return lines.map((line) => `${' '.repeat(column)}${line}${newline}`).join('');
}

function insertLines({ text, newline }: Edit, after: number, block: string): string {
  const at = lineEndAfter(text, after);
  const isClosed = at === 0 || text[at - 1] === '\n';
  return `${text.slice(0, at)}${isClosed ? '' : newline}${block}${text.slice(at)}`;
}

/** The beginning of the line below `position`; `position` itself when a line begins there. */
function lineEndAfter(text: string, position: number): number {
  if (position > 0 && text[position - 1] === '\n') return position;
  const end = text.indexOf('\n', position);
  return end < 0 ? text.length : end + 1;
}

function columnOf(text: string, position: number): number {
  return position - (text.lastIndexOf('\n', position - 1) + 1);
}

function startOf(node: unknown): number | undefined {
  return rangeOf(node)?.[0];
}

/** Where a node's own text ends, before comments and blank lines behind it. */
function endOf(node: unknown): number | undefined {
  return rangeOf(node)?.[1];
}

function rangeOf(node: unknown): readonly number[] | undefined {
  // In a parsed document keys and values are nodes, or null where the text has nothing.
  return (node as Node | null | undefined)?.range ?? undefined;
}
