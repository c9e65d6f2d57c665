import { withoutThinking } from '../ask/without-thinking.ts';
import { readTolerant, type ReadingBudget } from './tolerant-json.ts';

export interface FindOptions {
  /** Whether brackets that are missing at the very end may be added. */
  readonly mayClose: boolean;
}

const maxCandidates = 64;
/** Each character is scanned at most this often, whatever the text contains. */
const maxReadings = 3;
const minCharacters = 100_000;
const maxNestedTexts = 2;

/**
 * The JSON values in what a model wrote, those first that most likely are the answer: all of the text, then the
 * last of several fenced blocks, then the last of several values in the prose.
 */
export function findJson(text: string, options: FindOptions): readonly unknown[] {
  return find(text, options, maxNestedTexts);
}

function find(text: string, options: FindOptions, nestedTexts: number): readonly unknown[] {
  const said = withoutThinking(text.replaceAll('\uFEFF', '')).trim();
  const plain = withoutStrayThinking(said);
  const whole = parse(said) ?? parse(plain);
  if (typeof whole === 'string') {
    return nestedTexts === 0 ? [] : find(whole, options, nestedTexts - 1);
  }
  if (whole !== undefined) return [whole];
  const budget = { characters: plain.length * maxReadings + minCharacters };
  const fenced = fencedBlocks(plain).flatMap((block) => {
    const exact = parse(block);
    return exact === undefined ? scan(block, options, budget) : [exact];
  });
  const found = [...fenced.toReversed(), ...scan(plain, options, budget).toReversed()];
  return found.length > 0 ? found.slice(0, maxCandidates) : unescaped(plain);
}

/** Without what the model said to itself where the beginning of that is missing. */
function withoutStrayThinking(text: string): string {
  const end = text.lastIndexOf('</think>');
  return end < 0 ? text : text.slice(end + '</think>'.length).trim();
}

function parse(text: string): unknown {
  const first = text.trimStart()[0];
  if (first !== '{' && first !== '[' && first !== '"') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What stands between lines of three backticks or tildes; a last block may lack its end. */
function fencedBlocks(text: string): readonly string[] {
  const blocks: string[] = [];
  let position = 0;
  while (blocks.length < maxCandidates) {
    const opening = text.indexOf('```', position);
    if (opening < 0) break;
    const lineEnd = text.indexOf('\n', opening);
    const start = lineEnd < 0 ? opening + 3 : lineEnd + 1;
    const closing = text.indexOf('```', start);
    const head = text.slice(opening + 3, start).trim();
    // ```json {"a": 1}``` in one line
    const from = /^\w{0,20}\s{0,4}[{[]/.test(head) ? opening + 3 : start;
    const end = from === start ? closing : text.indexOf('```', from);
    blocks.push(text.slice(from, end < 0 ? text.length : end));
    if (end < 0) break;
    position = end + 3;
  }
  return blocks;
}

/**
 * The outermost objects and lists of a text, in order. What stands inside of one that is broken or cut off is
 * never taken for an answer by itself: it may well fit, and would be a part of what was meant.
 */
function scan(text: string, options: FindOptions, budget: ReadingBudget): readonly unknown[] {
  const found: unknown[] = [];
  const opening = /[{[]/g;
  while (found.length < maxCandidates && budget.characters > 0) {
    const match = opening.exec(text);
    if (match === null) break;
    const read = readTolerant(text, match.index, budget);
    if (read.kind === 'cut' || (read.kind === 'value' && !read.isClosed && !options.mayClose))
      break;
    if (read.kind === 'value') {
      found.push(read.value);
      opening.lastIndex = read.end;
    } else if (read.isObject) opening.lastIndex = endOfBrackets(text, match.index, budget);
  }
  return found;
}

/** Where the bracket at `start` is closed, going by brackets alone: strings are what is broken most often. */
function endOfBrackets(text: string, start: number, budget: ReadingBudget): number {
  const bracket = /[{}[\]]/g;
  bracket.lastIndex = start;
  let depth = 0;
  for (let match = bracket.exec(text); match !== null; match = bracket.exec(text)) {
    depth += match[0] === '{' || match[0] === '[' ? 1 : -1;
    if (depth > 0) continue;
    budget.characters -= match.index - start;
    return match.index + 1;
  }
  budget.characters -= text.length - start;
  return text.length;
}

/** `{\"a\": 1}`: JSON as it stands in a string, without the quotes around it. */
function unescaped(text: string): readonly unknown[] {
  const start = text.search(/[{[]/);
  const end = Math.max(text.lastIndexOf('}'), text.lastIndexOf(']'));
  if (start < 0 || end < start || !text.includes('\\"')) return [];
  const inner = parse(`"${text.slice(start, end + 1).replaceAll('\n', String.raw`\n`)}"`);
  const value = typeof inner === 'string' ? parse(inner) : undefined;
  return value === undefined ? [] : [value];
}
