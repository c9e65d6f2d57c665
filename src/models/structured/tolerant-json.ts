import { lookupTable } from '../../kernel/index.ts';
/** How much text may still be scanned: hostile text must not be scanned again and again. */
export interface ReadingBudget {
  characters: number;
}

type TolerantReading =
  | {
      readonly kind: 'value';
      readonly value: unknown;
      /** Where it ends in the text. */
      readonly end: number;
      /** False: the text ended behind a whole value, and only closing brackets were missing. */
      readonly isClosed: boolean;
    }
  /** `isObject`: it began like JSON, with a key; otherwise it is more likely prose with a bracket in it. */
  | { readonly kind: 'broken'; readonly isObject: boolean }
  /** The text ended where more was due. */
  | { readonly kind: 'cut' };

const maxDepth = 256;
/** What beginning to read costs, in characters. */
const charactersPerAttempt = 32;

/**
 * Reads the object or list that begins at `start`, also where it is no proper JSON: with comments, commas too
 * many, single or typographic quotes, bare keys, Python's literals or line breaks in strings.
 */
export function readTolerant(text: string, start: number, budget: ReadingBudget): TolerantReading {
  const reader = new TolerantReader(text, start, start + budget.characters);
  const found = reader.read();
  budget.characters -= reader.index - start + charactersPerAttempt;
  return found;
}

type Frame =
  | { readonly kind: 'object'; readonly value: Record<string, unknown>; key: string }
  | { readonly kind: 'list'; readonly value: unknown[] };

/** `value`: one is due, or the end of a list; `key`: one is due, or the end of an object. */
type Due = 'value' | 'key' | 'separator';

const failed = Symbol('failed');
const quotes: Readonly<Record<string, string>> = lookupTable({
  '"': '"',
  "'": "'",
  '“': '”',
  '‘': '’',
});
const literals: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['true', true],
  ['false', false],
  ['null', null],
  ['True', true],
  ['False', false],
  ['None', null],
  ['undefined', null],
]);

class TolerantReader {
  readonly #text: string;
  readonly #end: number;
  readonly #frames: Frame[] = [];
  index: number;
  #due: Due = 'value';
  #root: unknown;
  #isObject = false;

  constructor(text: string, start: number, limit: number) {
    this.#text = text;
    this.#end = Math.min(text.length, limit);
    this.index = start;
  }

  read(): TolerantReading {
    for (;;) {
      const isNewLine = this.#skipSpace();
      if (this.index >= this.#end) return this.#atEnd();
      const isRight =
        this.#due === 'value'
          ? this.#readValue()
          : this.#due === 'key'
            ? this.#readKey()
            : this.#readSeparator(isNewLine);
      if (!isRight) return this.#atFault();
      if (this.#frames.length === 0) {
        return { kind: 'value', value: this.#root, end: this.index, isClosed: true };
      }
    }
  }

  #atEnd(): TolerantReading {
    if (this.#end < this.#text.length || this.#due !== 'separator') return { kind: 'cut' };
    return { kind: 'value', value: this.#root, end: this.index, isClosed: false };
  }

  #atFault(): TolerantReading {
    return this.index >= this.#end ? { kind: 'cut' } : { kind: 'broken', isObject: this.#isObject };
  }

  #readValue(): boolean {
    const character = this.#text[this.index] ?? '';
    if (character === '{') return this.#open({ kind: 'object', value: {}, key: '' }, 'key');
    if (character === '[') return this.#open({ kind: 'list', value: [] }, 'value');
    if (character === ']') return this.#close('list');
    const value = quotes[character] === undefined ? this.#readLiteral() : this.#readString();
    if (value === failed) return false;
    this.#place(value);
    this.#due = 'separator';
    return true;
  }

  #readKey(): boolean {
    const character = this.#text[this.index] ?? '';
    if (character === '}') return this.#close('object');
    const key = quotes[character] === undefined ? this.#readWord() : this.#readString();
    if (typeof key !== 'string' || key === '') return false;
    this.#skipSpace();
    if (this.#text[this.index] !== ':') return false;
    this.index += 1;
    const frame = this.#frames.at(-1);
    if (frame?.kind === 'object') frame.key = key;
    this.#isObject = true;
    this.#due = 'value';
    return true;
  }

  #readSeparator(isNewLine: boolean): boolean {
    const character = this.#text[this.index] ?? '';
    const isList = this.#frames.at(-1)?.kind === 'list';
    if (character === '}') return this.#close('object');
    if (character === ']') return this.#close('list');
    // A comma that is missing at the end of a line can stand nowhere else.
    const isForgotten = isNewLine && (quotes[character] !== undefined || character === '{');
    if (character !== ',' && !isForgotten) return false;
    if (character === ',') this.index += 1;
    this.#due = isList ? 'value' : 'key';
    return true;
  }

  #open(frame: Frame, due: Due): boolean {
    if (this.#frames.length >= maxDepth) return false;
    this.#place(frame.value);
    this.#frames.push(frame);
    this.#due = due;
    this.index += 1;
    return true;
  }

  #close(kind: Frame['kind']): boolean {
    if (this.#frames.at(-1)?.kind !== kind) return false;
    this.#frames.pop();
    this.#due = 'separator';
    this.index += 1;
    return true;
  }

  #place(value: unknown): void {
    const frame = this.#frames.at(-1);
    if (frame === undefined) this.#root = value;
    else if (frame.kind === 'list') frame.value.push(value);
    else if (frame.key === '__proto__') defineMember(frame.value, frame.key, value);
    else frame.value[frame.key] = value;
  }

  /** Skips white space and comments; true when a line ended among them. */
  #skipSpace(): boolean {
    let isNewLine = false;
    while (this.index < this.#end) {
      const character = this.#text[this.index] ?? '';
      if (character === '\n') isNewLine = true;
      if (/[\s\uFEFF]/.test(character)) this.index += 1;
      else if (character === '#' || this.#text.startsWith('//', this.index)) this.#skipTo('\n');
      else if (this.#text.startsWith('/*', this.index)) this.#skipTo('*/');
      else break;
    }
    return isNewLine;
  }

  #skipTo(mark: string): void {
    const found = this.#text.indexOf(mark, this.index);
    this.index = found < 0 ? this.#end : Math.min(found + (mark === '\n' ? 0 : 2), this.#end);
  }

  #readWord(): string {
    const start = this.index;
    while (this.index < this.#end && /[\w$.+-]/.test(this.#text[this.index] ?? '')) {
      this.index += 1;
    }
    return this.#text.slice(start, this.index);
  }

  #readLiteral(): unknown {
    const word = this.#readWord();
    if (literals.has(word)) return literals.get(word);
    // A number at the very end may have lost its last digits.
    if (word === '' || this.index >= this.#end) return failed;
    const number = /^[+-]?[\d.]/.test(word) ? Number(word) : Number.NaN;
    return Number.isFinite(number) ? number : failed;
  }

  #readString(): unknown {
    const closing = quotes[this.#text[this.index] ?? ''];
    const pieces: string[] = [];
    let from = this.index + 1;
    for (let at = from; at < this.#end; at += 1) {
      const character = this.#text[at];
      if (character === closing) {
        pieces.push(this.#text.slice(from, at));
        this.index = at + 1;
        return pieces.join('');
      }
      if (character !== '\\') continue;
      const escape = readEscape(this.#text, at);
      pieces.push(this.#text.slice(from, at), escape.text);
      at = escape.end - 1;
      from = escape.end;
    }
    this.index = this.#end;
    return failed;
  }
}

/** Assigning to `__proto__` would change the object instead of giving it a member. */
function defineMember(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  });
}

const escapes: Readonly<Record<string, string>> = lookupTable({
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  '\n': '',
});

/** What the escape at `at` stands for; a backslash before anything else stands for itself or nothing. */
function readEscape(text: string, at: number): { readonly text: string; readonly end: number } {
  const next = text[at + 1] ?? '';
  const code =
    next === 'u' ? text.slice(at + 2, at + 6) : next === 'x' ? text.slice(at + 2, at + 4) : '';
  if (/^(?:[\da-f]{2}){1,2}$/i.test(code)) {
    return { text: String.fromCharCode(Number.parseInt(code, 16)), end: at + 2 + code.length };
  }
  const known = escapes[next];
  if (known !== undefined) return { text: known, end: at + 2 };
  return { text: /[\w\s]/.test(next) ? `\\${next}` : next, end: at + 2 };
}
