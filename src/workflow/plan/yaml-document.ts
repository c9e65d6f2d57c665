import type { Document, LineCounter, Node, Pair } from 'yaml';
import type { DocumentProblem, PlanDocument } from './plan-document.ts';
import { maxProblems } from './plan-notes.ts';

type Yaml = typeof import('yaml');

/** More aliases than this blow a small text up to a huge plan; honest plans have a handful. */
const maxAliases = 100;
/** Signs that open a level. What is nested deeper is refused before a parser recurses into it. */
const maxOpen = 10_000;

/** Reads YAML, of which JSON with comments is a part. */
export async function readYamlDocument(text: string): Promise<PlanDocument> {
  if (isNestedTooDeep(text)) return tooDeep();
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
  if (complaints.some(({ message }) => message.startsWith('Maximum call stack'))) return tooDeep();
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
  const problems = duplicateKeys(reading);
  const lineOf: PlanDocument['lineOf'] = (path) => lineAt(reading, path);
  try {
    return { data: document.toJS({ maxAliasCount: maxAliases }), problems, lineOf };
  } catch (error) {
    // Too many aliases, or one that contains itself.
    const reason = error instanceof Error ? error.message : String(error);
    return unreadable(`Its aliases cannot be followed: ${reason}`, 'plan.bad_syntax');
  }
}

/** The mistake nearly everybody makes; what the parser says about it helps nobody. */
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

function tooDeep(): PlanDocument {
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
 * is far above what anybody nests.
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

function duplicateKeys({ yaml, document, lines }: Reading): DocumentProblem[] {
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
        const message = `The key "${name}" is there twice in one place`;
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
