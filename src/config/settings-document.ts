import type { Document, LineCounter, Node, Pair } from 'yaml';
import type { SettingProblem, SettingSource } from './settings.ts';

/** Which file a text is, and whose settings are in it. */
export interface SettingsFile {
  readonly path: string;
  readonly kind: 'project' | 'user';
  /** The user's own file, where some settings belong that a project may not set. */
  readonly userPath: string;
}

/** A key of a map with its value, both with their places in the text. */
export interface DocumentEntry {
  readonly key: string;
  readonly keyNode: Node | undefined;
  readonly valueNode: Node | undefined;
}

/** More aliases than this in a settings file is a bomb, not a convenience. */
const maxAliasCount = 50;

/** A settings file that is good YAML: entries, values and places. */
export interface SettingsDocument {
  readonly root: Node | undefined;
  /** The entries of a map; undefined when the node is something else. An empty node is an empty map. */
  entries(node: Node | undefined): readonly DocumentEntry[] | undefined;
  /** The node as plain data. Throws a `ReferenceError` when its aliases multiply. */
  value(node: Node | undefined): unknown;
  /** Where an entry's value begins; where the text has nothing, its key. */
  valuePlace(entry: DocumentEntry): SettingSource;
  keyPlace(entry: DocumentEntry): SettingSource;
  /** The part of an entry's value at `path`, or the nearest around it that the text has. */
  within(entry: DocumentEntry, path: readonly PropertyKey[]): DocumentEntry;
}

interface DocumentParts {
  readonly yaml: typeof import('yaml');
  readonly document: Document.Parsed;
  readonly lines: LineCounter;
  readonly file: SettingsFile;
}

export function createSettingsDocument(parts: DocumentParts): SettingsDocument {
  const { yaml, document, lines, file } = parts;

  const resolve = (node: Node | undefined): Node | undefined => {
    if (!yaml.isAlias(node)) return node;
    const target = node.resolve(document);
    if (target === undefined) throw new ReferenceError(`the alias "${node.source}" of nothing`);
    return target;
  };

  const entries = (node: Node | undefined): readonly DocumentEntry[] | undefined => {
    const map = resolve(node);
    if (map === undefined || (yaml.isScalar(map) && map.value === null)) return [];
    return yaml.isMap(map) ? map.items.map(readPair) : undefined;
  };

  const readPair = (pair: Pair): DocumentEntry => {
    const keyNode = asNode(pair.key);
    const key = yaml.isScalar(keyNode) ? String(keyNode.value) : '';
    return { key, keyNode, valueNode: asNode(pair.value) };
  };

  const step = (entry: DocumentEntry, name: PropertyKey): DocumentEntry => {
    const node = resolve(entry.valueNode);
    if (yaml.isSeq(node)) return { ...entry, valueNode: asNode(node.items[Number(name)]) };
    return entries(node)?.find(({ key }) => key === String(name)) ?? entry;
  };

  const placeOf = (node: Node | undefined): SettingSource => {
    const { line, col } = lines.linePos(node?.range?.[0] ?? 0);
    return { kind: file.kind, file: file.path, line: Math.max(line, 1), column: Math.max(col, 1) };
  };

  return {
    root: document.contents ?? undefined,
    entries,
    value: (node) => (node === undefined ? null : node.toJS(document, { maxAliasCount })),
    within: (entry, path) => path.reduce<DocumentEntry>(step, entry),
    keyPlace: (entry) => placeOf(entry.keyNode),
    valuePlace: (entry) => placeOf(isBlank(entry.valueNode) ? entry.keyNode : entry.valueNode),
  };
}

/** Keys that stand twice in one map, wherever it is. */
export function findRepeatedKeys(
  document: SettingsDocument,
  yaml: DocumentParts['yaml'],
): SettingProblem[] {
  const problems: SettingProblem[] = [];
  const pending: unknown[] = [document.root];
  while (pending.length > 0) {
    const node = pending.pop();
    if (yaml.isSeq(node)) for (const item of node.items) pending.push(item);
    if (!yaml.isMap(node)) continue;
    const seen = new Set<string>();
    for (const entry of document.entries(node) ?? []) {
      const { key } = entry;
      if (seen.has(key)) {
        const source = document.keyPlace(entry);
        problems.push({ source, key, expected: 'each key once', found: 'it again' });
      }
      seen.add(key);
      pending.push(entry.valueNode);
    }
  }
  return problems;
}

/** In a parsed document keys and values are nodes, or null where the text has nothing. */
function asNode(value: unknown): Node | undefined {
  return (value ?? undefined) as Node | undefined;
}

/** True where the text has nothing: `port:` at the end of a line. */
function isBlank(node: Node | undefined): boolean {
  return node?.range === undefined || node.range === null || node.range[0] === node.range[1];
}
