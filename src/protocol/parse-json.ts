import { isUtf8 } from 'node:buffer';

export interface JsonLimits {
  readonly maxBytes: number;
  /** How deep arrays and objects may nest. What parses and prints recursively later relies on it. */
  readonly maxDepth: number;
}

export const defaultJsonLimits: JsonLimits = { maxBytes: 4 * 1024 * 1024, maxDepth: 200 };

export type ParsedJson =
  | { readonly kind: 'parsed'; readonly value: unknown }
  | { readonly kind: 'too_large' | 'too_deep' | 'not_utf8' | 'not_json'; readonly message: string };

/** Parses one JSON document. Never throws, and never recurses: the depth is known before the parse. */
export function parseJson(bytes: Buffer, limits: JsonLimits = defaultJsonLimits): ParsedJson {
  if (bytes.length > limits.maxBytes) {
    return { kind: 'too_large', message: `The message is larger than ${limits.maxBytes} bytes` };
  }
  if (!isUtf8(bytes)) return { kind: 'not_utf8', message: 'The message is not valid UTF-8' };
  if (isDeeperThan(bytes, limits.maxDepth)) {
    return { kind: 'too_deep', message: `The message nests deeper than ${limits.maxDepth} levels` };
  }
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return { kind: 'parsed', value };
  } catch {
    // V8's text quotes the input, which may hold a secret.
    return { kind: 'not_json', message: 'The message is not valid JSON' };
  }
}

const quote = 0x22;
const backslash = 0x5c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** Counts brackets outside strings; exact for valid JSON, and for other text the parse fails anyway. */
function isDeeperThan(bytes: Buffer, maxDepth: number): boolean {
  if (bytes.length <= maxDepth) return false;
  let depth = 0;
  let inString = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (inString) {
      if (byte === backslash) at += 1;
      else if (byte === quote) inString = false;
    } else if (byte === quote) {
      inString = true;
    } else if (byte === openBracket || byte === openBrace) {
      depth += 1;
      if (depth > maxDepth) return true;
    } else if (byte === closeBracket || byte === closeBrace) {
      depth -= 1;
    }
  }
  return false;
}
