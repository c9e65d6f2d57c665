const quote = 0x22;
const comma = 0x2c;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const space = 0x20;

/**
 * The exact text of a member's value in the JSON text of an object, found along `names`:
 * `rawMember(text, 'params', 'arguments')`. Of members with the same name the last counts, as in
 * `JSON.parse`. The text must be valid JSON; undefined when there is no such member.
 */
export function rawMember(text: string, ...names: readonly string[]): string | undefined {
  const found: TextRange = { start: -1, end: -1 };
  scanObject(text, skipSpace(text, 0), { names, level: 0, found });
  return found.start === -1 ? undefined : text.slice(found.start, found.end);
}

/** The exact texts of the items of a JSON array. The text must be valid JSON. */
export function rawItems(text: string): string[] {
  const items: string[] = [];
  let at = skipSpace(text, skipSpace(text, 0) + 1);
  while (at < text.length && text.charCodeAt(at) !== closeBracket) {
    const end = endOfValue(text, at);
    items.push(text.slice(at, end));
    at = skipSpace(text, end);
    if (text.charCodeAt(at) === comma) at = skipSpace(text, at + 1);
  }
  return items;
}

/**
 * The same value on one line, so that it can go over a channel whose messages end with a line end.
 * A line end in valid JSON stands between tokens only: inside strings it is always escaped.
 */
export function oneLine(json: string): string {
  return json.includes('\n') || json.includes('\r') ? json.replaceAll(/[\r\n]/g, ' ') : json;
}

interface TextRange {
  start: number;
  end: number;
}

/** The path to find, and the level of the scan. */
interface Search {
  readonly names: readonly string[];
  readonly level: number;
  readonly found: TextRange;
}

/** Scans the object at `from` once, descending into members on the path; returns where its members end. */
function scanObject(text: string, from: number, search: Search): number {
  if (text.charCodeAt(from) !== openBrace) return from;
  const { names, level } = search;
  const name = names[level] ?? '';
  // An unescaped name with a backslash is a different name.
  const hasEscape = name.includes('\\');
  let at = skipSpace(text, from + 1);
  while (text.charCodeAt(at) === quote) {
    const keyEnd = endOfString(text, at);
    const isPlain = keyEnd - at - 2 === name.length && text.startsWith(name, at + 1);
    const isWanted = isPlain ? !hasEscape : isEscapedName(text, { start: at, end: keyEnd }, name);
    // One past the colon.
    const start = skipSpace(text, skipSpace(text, keyEnd) + 1);
    const end = isWanted ? take(text, start, search) : endOfValue(text, start);
    at = skipSpace(text, end);
    if (text.charCodeAt(at) !== comma) break;
    at = skipSpace(text, at + 1);
  }
  return at;
}

/** The end of a value under a wanted name. Replaces an earlier match: the last duplicate counts. */
function take(text: string, start: number, { names, level, found }: Search): number {
  if (level === names.length - 1) {
    found.start = start;
    found.end = endOfValue(text, start);
    return found.end;
  }
  found.start = -1;
  if (text.charCodeAt(start) !== openBrace) return endOfValue(text, start);
  return scanObject(text, start, { names, level: level + 1, found }) + 1;
}

/** Escapes are longer than plain characters, so only a longer key can match. */
function isEscapedName(text: string, { start, end }: TextRange, name: string): boolean {
  if (end - start <= name.length + 2) return false;
  const key = text.slice(start, end);
  return key.includes('\\') && JSON.parse(key) === name;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  // JSON white space is at or below U+0020, and nothing else here is; NaN at the end stops the loop.
  while (text.charCodeAt(at) <= space) at += 1;
  return at;
}

/** Short strings are read character by character, which is faster than a search. */
const shortStringLength = 64;

/** One past the closing quote of the string that opens at `from`; the rest of a long one is searched. */
function endOfString(text: string, from: number): number {
  const shortEnd = Math.min(from + shortStringLength, text.length);
  let at = from + 1;
  for (; at < shortEnd; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) return at + 1;
    if (code === backslash) at += 1;
  }
  at = text.indexOf('"', at);
  while (at !== -1 && isEscaped(text, at)) at = text.indexOf('"', at + 1);
  return at === -1 ? text.length : at + 1;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(at - 1 - backslashes) === backslash) backslashes += 1;
  return backslashes % 2 === 1;
}

function endOfValue(text: string, from: number): number {
  const first = text.charCodeAt(from);
  if (first === quote) return endOfString(text, from);
  if (first === openBrace || first === openBracket) return endOfNested(text, from);
  let at = from;
  while (at < text.length && !endsScalar(text.charCodeAt(at))) at += 1;
  return at;
}

function endOfNested(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at) - 1;
    else if (code === openBrace || code === openBracket) depth += 1;
    else if (code === closeBrace || code === closeBracket) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return text.length;
}

function endsScalar(code: number): boolean {
  return code === comma || code === closeBrace || code === closeBracket || code <= space;
}
