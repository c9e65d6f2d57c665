import { createContext, Script } from 'node:vm';

const maxPatternLength = 1_000;
const maxTextLength = 10_000;
const maxUnlimitedLength = 1_000;
/** A pattern that needs longer is not judged. */
const limitMs = 20;
/** Patterns that took too long before are given up on. */
const maxSlowPatterns = 3;

/** Whether a text matches a pattern of a schema; undefined when that cannot be said in a short time. */
export type TestPattern = (pattern: string, text: string) => boolean | undefined;

/**
 * Patterns are others' words and may take for ever. A simple one runs as it is; the others run
 * under a time limit that ends them from outside.
 */
export function createPatternTest(): TestPattern {
  const compiled = new Map<string, RegExp | undefined>();
  const verdicts = new Map<string, boolean | undefined>();
  const room: { pattern: RegExp; text: string } = { pattern: /x/u, text: '' };
  let run: ((options: { timeout: number }) => unknown) | undefined;
  let slowPatterns = 0;

  const runLimited = (pattern: RegExp, text: string): boolean | undefined => {
    if (slowPatterns >= maxSlowPatterns) return undefined;
    if (!run) {
      const script = new Script('pattern.test(text)');
      const context = createContext(room);
      run = (options) => script.runInContext(context, options);
    }
    room.pattern = pattern;
    room.text = text;
    try {
      return run({ timeout: limitMs }) === true;
    } catch {
      slowPatterns += 1;
      return undefined;
    }
  };

  return (pattern, text) => {
    if (pattern.length > maxPatternLength || text.length > maxTextLength) return undefined;
    if (!compiled.has(pattern)) compiled.set(pattern, compile(pattern));
    const expression = compiled.get(pattern);
    if (!expression) return undefined;
    if (isSimple(pattern) && text.length <= maxUnlimitedLength) return expression.test(text);
    const key = `${pattern}\n${text}`;
    if (!verdicts.has(key)) verdicts.set(key, runLimited(expression, text));
    return verdicts.get(key);
  };
}

/** With one repetition at most and no alternatives, backtracking is bounded by the square of the text's length. */
function isSimple(pattern: string): boolean {
  return !pattern.includes('|') && (pattern.match(/[*+?{]/g)?.length ?? 0) <= 1;
}

function compile(pattern: string): RegExp | undefined {
  try {
    return new RegExp(pattern, 'u');
  } catch {
    try {
      return new RegExp(pattern);
    } catch {
      return undefined;
    }
  }
}
