import { Script } from 'node:vm';
import { isRecord, type Params } from '../../protocol/index.ts';

const limitMs = 20;
const attempts = 3;
/** After these, and beyond this many patterns, any pattern that could be slow counts as slow. */
const maxSlowPatterns = 3;
const maxTriedPatterns = 500;
const maxPatternLength = 2_000;

/** Finds patterns of one server's schemas that take exponential time on a short text (ReDoS). */
export class SlowPatterns {
  readonly #verdicts = new Map<string, boolean>();
  #slow = 0;

  /** The tool without its slow patterns; itself where it has none. Values are then checked less strictly. */
  removeFrom(tool: Params): Params {
    const slow = new Set<string>();
    const visit = (key: string, value: unknown): unknown => {
      const patterns = key === 'pattern' ? [value] : [];
      if (key === 'patternProperties' && isRecord(value)) patterns.push(...Object.keys(value));
      for (const pattern of patterns) {
        if (typeof pattern === 'string' && this.#isSlow(pattern)) slow.add(pattern);
      }
      return value;
    };
    const { inputSchema, outputSchema } = tool;
    const text = JSON.stringify({ inputSchema, outputSchema }, visit);
    if (slow.size === 0) return tool;
    const isSlow = (key: string, value: unknown): boolean =>
      slow.has(key) || (key === 'pattern' && typeof value === 'string' && slow.has(value));
    const schemas: Params = JSON.parse(text, (key, value: unknown) =>
      isSlow(key, value) ? undefined : value,
    );
    return { ...tool, ...schemas };
  }

  #isSlow(pattern: string): boolean {
    if (isSimple(pattern)) return false;
    let isSlow = this.#verdicts.get(pattern);
    if (isSlow === undefined) {
      const isExhausted = this.#slow >= maxSlowPatterns || this.#verdicts.size >= maxTriedPatterns;
      isSlow = pattern.length > maxPatternLength || isExhausted || takesLong(pattern);
      if (isSlow) this.#slow += 1;
      this.#verdicts.set(pattern, isSlow);
    }
    return isSlow;
  }
}

/** With one repetition at most and no alternatives, backtracking is bounded by the square of the text's length. */
function isSimple(pattern: string): boolean {
  return !pattern.includes('|') && (pattern.match(/[*+?{]/g)?.length ?? 0) <= 1;
}

/** Counts the time of this thread alone: a busy machine makes no pattern slow. */
function takesLong(pattern: string): boolean {
  const test = `((pattern) => {
    let expression;
    try { expression = new RegExp(pattern, 'u'); } catch { expression = new RegExp(pattern); }
    for (const text of ${JSON.stringify(probesFor(pattern))}) expression.test(text);
  })(${JSON.stringify(pattern)})`;
  const script = new Script(test);
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const before = process.threadCpuUsage().user;
    try {
      script.runInThisContext({ timeout: limitMs });
      return false;
    } catch (error) {
      // An invalid pattern is left to the repair of the schema.
      if (error instanceof SyntaxError) return false;
      if (process.threadCpuUsage().user - before > (limitMs * 1_000) / 2) return true;
    }
  }
  return true;
}

const maxUnits = 6;
const repetitions = 32;
const usualCharacters = ['a', '0', ' ', '.'];

/** Texts that nearly match: something the pattern may repeat, many times, and an end that does not fit. */
function probesFor(pattern: string): string[] {
  const literals = new Set(pattern.replace(/\\./g, '').match(/[\p{L}\p{N} .:/@_-]/gu));
  const units = [...new Set([...literals].slice(0, maxUnits)), ...usualCharacters];
  const pairs = units.flatMap((first) => units.map((second) => first + second));
  return [...new Set(pairs)].map((unit) => `${unit.repeat(repetitions / 2)}\u0000`);
}
