import type { Node as JsonNode } from 'jsonc-parser';
import type { Document, LineCounter, Node, Pair } from 'yaml';
import { maxProblems } from './step-rules.ts';

/** A plan as read, not validated yet. */
export interface PlanDocument {
  readonly data: unknown;
  readonly problems: readonly DocumentProblem[];
  /** The line, from 1, of what lies at a path, or of the nearest thing around it. */
  lineOf(path: readonly (string | number)[]): number | null;
}

interface DocumentProblem {
  readonly at: readonly (string | number)[];
  readonly line: number | null;
  readonly code: string;
  readonly message: string;
}

/** Counts lines for places in a text that are asked for in any order. */
function createLineCounter(text: string): (offset: number) => number {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (offset) => {
    let [low, high] = [0, starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  };
}

type Jsonc = typeof import('jsonc-parser');

/** Reads JSON; undefined when the text is none. Lines are worked out only when there is a problem. */
export async function readJsonDocument(text: string): Promise<PlanDocument | undefined> {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    return undefined;
  }
  const jsonc = await import('jsonc-parser');
  let problems: readonly DocumentProblem[];
  try {
    problems = duplicateJsonKeys(jsonc, text);
  } catch (error) {
    // The parser recurses.
    if (error instanceof RangeError) return nestedTooDeep();
    throw error;
  }
  let tree: JsonNode | undefined;
  let lineAt: ((offset: number) => number) | undefined;
  return {
    data,
    problems,
    lineOf: (path) => {
      tree ??= jsonc.parseTree(text);
      lineAt ??= createLineCounter(text);
      return lineAt(tree ? offsetOf(tree, path) : 0);
    },
  };
}

/** Where the path leads, or the furthest position on the way. */
function offsetOf(root: JsonNode, path: readonly (string | number)[]): number {
  let node = root;
  let { offset } = root;
  for (const segment of path) {
    const { type, children = [] } = node;
    const entry =
      type === 'array'
        ? children[Number(segment)]
        : children.find(({ children: [key] = [] }) => key?.value === String(segment));
    if (!entry) break;
    ({ offset } = entry);
    node = type === 'array' ? entry : (entry.children?.[1] ?? entry);
  }
  return offset;
}

/** `JSON.parse` keeps the last of two equal keys and says nothing. */
function duplicateJsonKeys({ visit }: Jsonc, text: string): DocumentProblem[] {
  const problems: DocumentProblem[] = [];
  const keys: Set<string>[] = [];
  visit(text, {
    onObjectBegin: () => void keys.push(new Set()),
    onObjectEnd: () => void keys.pop(),
    onObjectProperty: (key, ...[, , startLine, , pathOf]) => {
      const seen = keys.at(-1);
      if (seen?.has(key) === true && problems.length < maxProblems) {
        const message = `The key "${key}" is there twice in one object`;
        const at = [...pathOf(), key];
        problems.push({ at, line: startLine + 1, code: 'plan.duplicate_key', message });
      }
      seen?.add(key);
    },
  });
  return problems;
}

type Yaml = typeof import('yaml');

/** More aliases than this blow a small text up to a huge plan; honest plans have a handful. */
const maxAliases = 100;
/** Signs that open a level. What is nested deeper is refused before a parser recurses into it. */
const maxOpen = 10_000;

/** Reads YAML, of which JSON with comments is a part. */
export async function readYamlDocument(text: string): Promise<PlanDocument> {
  if (isNestedTooDeep(text)) return nestedTooDeep();
  const yaml = await import('yaml');
  const lines = new yaml.LineCounter();
  const document = yaml.parseDocument(text, {
    lineCounter: lines,
    schema: 'core',
    // The parser's own check takes time quadratic in the number of keys.
    uniqueKeys: false,
    prettyErrors: false,
    // Keys are texts, as in JSON: a list as a key is a mistake.
    stringKeys: true,
  });
  const complaints = [...document.errors, ...document.warnings];
  // The parser recurses, and says so when it went too deep for the stack.
  if (complaints.some(({ message }) => message.startsWith('Maximum call stack')))
    return nestedTooDeep();
  if (complaints.length > 0) {
    const problems = complaints.slice(0, maxProblems).map(({ message, pos, code }) => ({
      at: [],
      line: lines.linePos(pos[0]).line,
      code: 'plan.bad_syntax',
      message: `It cannot be read as YAML: ${code === 'MULTIPLE_DOCS' ? 'a plan is one document, and behind "---" begins another' : message}`,
    }));
    const bare = bareReferences(text, problems);
    return { data: undefined, problems: bare.length > 0 ? bare : problems, lineOf: () => null };
  }
  const reading: Reading = { yaml, document, lines };
  const problems = duplicateYamlKeys(reading);
  const lineOf: PlanDocument['lineOf'] = (path) => lineAt(reading, path);
  try {
    return { data: document.toJS({ maxAliasCount: maxAliases }), problems, lineOf };
  } catch (error) {
    // Too many aliases, or one that contains itself.
    const reason = error instanceof Error ? error.message : String(error);
    return unreadable(`Its aliases cannot be followed: ${reason}`, 'plan.bad_syntax');
  }
}

/** A common mistake that the parser reports in words that do not help. */
function bareReferences(text: string, problems: readonly DocumentProblem[]): DocumentProblem[] {
  const lines = text.split('\n');
  const numbers = new Set(problems.map(({ line }) => line));
  return [...numbers].flatMap((line) => {
    const [bare] = /[:,[]\s\$\{[^{}]{0,200}\}?/.exec(lines[(line ?? 0) - 1] ?? '') ?? [];
    if (bare === undefined) return [];
    const message = `Within "{ }" and "[ ]" a reference stands in quotes: "${bare.slice(1).trim()}"`;
    return [{ at: [], line, code: 'plan.bad_syntax', message }];
  });
}

function nestedTooDeep(): PlanDocument {
  return unreadable('It cannot be read, because it is nested too deep', 'plan.too_deep');
}

function unreadable(message: string, code: string): PlanDocument {
  return { data: undefined, problems: [{ at: [], line: 1, code, message }], lineOf: () => null };
}

interface Reading {
  readonly yaml: Yaml;
  readonly document: Document.Parsed;
  readonly lines: LineCounter;
}

/**
 * Counts `[` and `{` and the `- ` that open levels in one line; those in texts count, too, so the limit
 * is far above any real nesting.
 */
function isNestedTooDeep(text: string): boolean {
  let open = 0;
  let dashes = 0;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at];
    if (sign === '\n') dashes = 0;
    else if (sign === '[' || sign === '{') open += 1;
    else if (sign === ']' || sign === '}') open = Math.max(0, open - 1);
    else if ((sign === '-' || sign === '?') && text[at + 1] === ' ') dashes += 1;
    if (open > maxOpen || dashes > maxOpen) return true;
  }
  return false;
}

function duplicateYamlKeys({ yaml, document, lines }: Reading): DocumentProblem[] {
  const problems: DocumentProblem[] = [];
  yaml.visit(document, {
    Map: (_key, map) => {
      const seen = new Set<string>();
      for (const { key } of map.items) {
        if (!yaml.isScalar(key)) continue;
        const name = String(key.value);
        if (!seen.has(name) || problems.length >= maxProblems) {
          seen.add(name);
          continue;
        }
        const line = lines.linePos(key.range?.[0] ?? 0).line;
        const message = `The key "${name}" is there twice in one object`;
        problems.push({ at: [], line, code: 'plan.duplicate_key', message });
      }
    },
  });
  return problems;
}

/** Walks as far along the path as there is something, and takes the line of the last key found. */
function lineAt(
  { yaml, document, lines }: Reading,
  path: readonly (string | number)[],
): number | null {
  let node: Node | null | undefined = document.contents;
  let offset = node?.range?.[0] ?? 0;
  for (const segment of path) {
    if (yaml.isAlias(node)) node = node.resolve(document);
    if (yaml.isMap(node)) {
      const pair: Pair | undefined = node.items.find(
        ({ key }) => yaml.isScalar(key) && String(key.value) === String(segment),
      );
      if (!pair) break;
      if (yaml.isScalar(pair.key)) offset = pair.key.range?.[0] ?? offset;
      node = yaml.isNode(pair.value) ? pair.value : null;
    } else if (yaml.isSeq(node)) {
      const item: unknown = node.items[Number(segment)];
      if (!yaml.isNode(item)) break;
      node = item;
      offset = item.range?.[0] ?? offset;
    } else break;
  }
  return lines.linePos(offset).line;
}

interface DataLimits {
  readonly maxDepth: number;
  readonly maxNodes: number;
}

type Found = Omit<DocumentProblem, 'line'>;

interface Visit {
  readonly value: unknown;
  readonly segment: string | number | null;
  readonly parent: Visit | null;
  readonly depth: number;
}

/**
 * Whether data is JSON of a bearable size and depth, without keys that reach for prototypes. Does not
 * recurse, and ends at the first limit that is passed.
 */
export function checkData(data: unknown, { maxDepth, maxNodes }: DataLimits): readonly Found[] {
  const problems: Found[] = [];
  const open: Visit[] = [{ value: data, segment: null, parent: null, depth: 0 }];
  let nodes = 0;
  for (let visit = open.pop(); visit && problems.length < maxProblems; visit = open.pop()) {
    nodes += 1;
    if (nodes > maxNodes) {
      const message = `The plan has more than ${maxNodes} values`;
      return [...problems, { at: [], code: 'plan.too_large', message }];
    }
    if (visit.depth > maxDepth) {
      const message = `It is nested more than ${maxDepth} levels deep`;
      // The full path to something that deep does not help.
      return [...problems, { at: pathOfVisit(visit).slice(0, 4), code: 'plan.too_deep', message }];
    }
    const wrong = wrongWith(visit.value);
    if (wrong !== undefined) problems.push({ at: pathOfVisit(visit), ...wrong });
    else pushInner(visit, open, problems);
  }
  return problems;
}

function pushInner(visit: Visit, open: Visit[], problems: Found[]): void {
  const { value, depth } = visit;
  if (typeof value !== 'object' || value === null) return;
  const entries: readonly [string | number, unknown][] = Array.isArray(value)
    ? [...value.entries()]
    : Object.entries(value);
  for (const [segment, inner] of entries) {
    const next: Visit = { value: inner, segment, parent: visit, depth: depth + 1 };
    if (isForbidden(segment, inner)) {
      const message = `The key "${segment}" is not allowed: it reaches for the prototype of objects`;
      problems.push({ at: pathOfVisit(next), code: 'plan.forbidden_key', message });
    } else open.push(next);
  }
}

function isForbidden(key: string | number, value: unknown): boolean {
  if (key === '__proto__') return true;
  if (key !== 'constructor' || typeof value !== 'object' || value === null) return false;
  return Object.hasOwn(value, 'prototype') || Object.hasOwn(value, '__proto__');
}

function wrongWith(value: unknown): { code: string; message: string } | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return undefined;
  if (typeof value === 'number') {
    return Number.isFinite(value) ? undefined : notJson(`the number ${value}`);
  }
  if (typeof value !== 'object') return notJson(typeof value);
  if (Array.isArray(value)) return undefined;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype) return undefined;
  return notJson('an object of a class');
}

function notJson(what: string): { code: string; message: string } {
  return { code: 'plan.wrong_value', message: `JSON has no such value: ${what}` };
}

function pathOfVisit(visit: Visit): (string | number)[] {
  const path: (string | number)[] = [];
  for (let at: Visit | null = visit; at?.parent; at = at.parent) path.push(at.segment ?? '');
  return path.reverse();
}
