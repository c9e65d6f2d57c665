import { isUtf8 } from 'node:buffer';

export interface JsonLimits {
  readonly maxBytes: number;
  /** Nesting limit of arrays and objects; recursive code relies on it. */
  readonly maxDepth: number;
}

export const defaultJsonLimits: JsonLimits = { maxBytes: 4 * 1024 * 1024, maxDepth: 200 };

export type ParsedJson =
  | { readonly kind: 'parsed'; readonly value: unknown; readonly text: string }
  | { readonly kind: 'too_large' | 'too_deep' | 'not_utf8' | 'not_json'; readonly message: string };

/** Up to this length a text is parsed before its depth is checked, which is cheaper. */
const maxUncheckedLength = 1024 * 1024;

/** Parses one JSON document. Never throws, and recurses at most `maxDepth` levels. */
export function parseJson(bytes: Buffer, limits: JsonLimits = defaultJsonLimits): ParsedJson {
  if (bytes.length > limits.maxBytes) {
    return { kind: 'too_large', message: `The message is larger than ${limits.maxBytes} bytes` };
  }
  if (!isUtf8(bytes)) return { kind: 'not_utf8', message: 'The message is not valid UTF-8' };
  const text = bytes.toString('utf8');
  const mayBeDeep = opensMoreThan(text, limits.maxDepth);
  const isLong = text.length > maxUncheckedLength;
  if (mayBeDeep && isLong && isTextDeeperThan(text, limits.maxDepth)) return tooDeep(limits);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    if (mayBeDeep && isTextDeeperThan(text, limits.maxDepth)) return tooDeep(limits);
    // V8's text quotes the input, which may hold a secret.
    return { kind: 'not_json', message: 'The message is not valid JSON' };
  }
  if (mayBeDeep && !isLong && isValueDeeperThan(value, limits.maxDepth)) return tooDeep(limits);
  return { kind: 'parsed', value, text };
}

function tooDeep(limits: JsonLimits): ParsedJson {
  return { kind: 'too_deep', message: `The message nests deeper than ${limits.maxDepth} levels` };
}

/** A text with at most `limit` opening brackets cannot nest deeper; searching is cheap. */
function opensMoreThan(text: string, limit: number): boolean {
  if (text.length <= limit) return false;
  let count = 0;
  for (let at = text.indexOf('{'); at !== -1; at = text.indexOf('{', at + 1)) {
    count += 1;
    if (count > limit) return true;
  }
  for (let at = text.indexOf('['); at !== -1; at = text.indexOf('[', at + 1)) {
    count += 1;
    if (count > limit) return true;
  }
  return false;
}

/**
 * `JSON.parse` does not recurse, so a deep text gives a deep value and no exception. Walking the value costs at
 * most a fifth of scanning every character: most of them are in strings.
 */
function isValueDeeperThan(value: unknown, maxDepth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (maxDepth === 0) return true;
  if (Array.isArray(value)) {
    for (const item of value) {
      if (typeof item === 'object' && isValueDeeperThan(item, maxDepth - 1)) return true;
    }
    return false;
  }
  for (const key in value) {
    // `key` was just listed by the object itself.
    const item = value[key as keyof typeof value] as unknown;
    if (typeof item === 'object' && isValueDeeperThan(item, maxDepth - 1)) return true;
  }
  return false;
}

const quote = 0x22;
const backslash = 0x5c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** Counts brackets outside strings; exact for valid JSON, and other text fails to parse anyway. */
function isTextDeeperThan(text: string, maxDepth: number): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (inString) {
      if (code === backslash) at += 1;
      else if (code === quote) inString = false;
    } else if (code === quote) {
      inString = true;
    } else if (code === openBracket || code === openBrace) {
      depth += 1;
      if (depth > maxDepth) return true;
    } else if (code === closeBracket || code === closeBrace) {
      depth -= 1;
    }
  }
  return false;
}
