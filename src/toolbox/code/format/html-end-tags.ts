import { optionalEndTags, voidTags } from './html-elements.ts';

/** An HTML text in which every end tag that may be omitted is written out. */
export interface ExplicitHtml {
  readonly text: string;
  /** The offset in the original text of one in this. */
  readonly originalOffset: (offset: number) => number;
  /** Where something starts that never ends: a comment, a quoted value, a script. */
  readonly unclosed?: { readonly offset: number; readonly message: string };
}

// Every alternative reaches its end or that of the text, so that no place is read twice.
const tokens =
  /<!--(?:-?>|[^]*?(?:-->|$))|<[!?][^>]*(?:>|$)|<\/?[a-zA-Z](?:[^>"'=]|=\s*(?:"[^"]*(?:"|$)|'[^']*(?:'|$))?|["'])*(?:>|$)|[^<]+|</g;

/** What is inside them is text to its end tag. */
const rawTags = new Set(['script', 'style', 'textarea', 'title', 'xmp', 'iframe', 'noembed']);

const cells = ['td', 'th'];
const rows = ['tr', ...cells, 'caption', 'colgroup'];
const rowGroups = ['thead', 'tbody', 'tfoot', ...rows];
const blocks =
  'address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr main menu nav ol p pre search section table ul';

/** Which open elements a start tag ends, by HTML's rules for omitted end tags. */
const endedBy: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ...blocks.split(' ').map((name): [string, string[]] => [name, ['p']]),
  ['li', ['li']],
  ['dt', ['dt', 'dd']],
  ['dd', ['dt', 'dd']],
  ['option', ['option']],
  ['optgroup', ['optgroup', 'option']],
  ['rt', ['rb', 'rt', 'rp']],
  ['rp', ['rb', 'rt', 'rp']],
  ['rb', ['rb', 'rt', 'rp', 'rtc']],
  ['rtc', ['rb', 'rt', 'rp', 'rtc']],
  ['td', cells],
  ['th', cells],
  ['tr', rows],
  ['thead', rowGroups],
  ['tbody', rowGroups],
  ['tfoot', rowGroups],
  ['colgroup', ['caption', 'colgroup']],
  ['body', ['head']],
]);

const headContent = new Set(
  'base basefont bgsound link meta title noscript noframes style script template'.split(' '),
);

/** More elements in a row without an end tag are not looked at: no document needs them. */
const maxRun = 32;
/** How many elements up an end tag may find its start tag. */
const maxDistance = 1_000;

/**
 * Writes out the end tags HTML implies. Prettier knows the rules for `p` and `li` but not those of
 * tables, lists of terms, option groups and `head`, and nests the elements wrongly.
 */
export function withEndTags(text: string): ExplicitHtml {
  return new EndTagWriter(text).write();
}

class EndTagWriter {
  readonly #text: string;
  readonly #open: string[] = [];
  readonly #inserted: { offset: number; tags: string }[] = [];
  #raw: { readonly name: string; readonly offset: number } | undefined;
  #unclosed: ExplicitHtml['unclosed'];

  constructor(text: string) {
    this.#text = text;
  }

  write(): ExplicitHtml {
    for (const { 0: token, index } of this.#text.matchAll(tokens)) this.#read(token, index);
    if (this.#raw) {
      const { name, offset } = this.#raw;
      this.#unclosed ??= { offset, message: `Element "${name}" is never closed` };
    } else this.#endRun(0, this.#text.trimEnd().length);
    return {
      text: this.#explicitText(),
      originalOffset: (offset) => this.#originalOffset(offset),
      ...(this.#unclosed ? { unclosed: this.#unclosed } : {}),
    };
  }

  #read(token: string, offset: number): void {
    const [, slash, given] = /^<(\/?)([a-zA-Z][^\s/>]*)/.exec(token) ?? [];
    const name = given?.toLowerCase();
    if (this.#raw) {
      if (slash === '/' && name === this.#raw.name) this.#raw = undefined;
      return;
    }
    if (name === undefined) this.#readText(token, offset);
    else if (slash === '/') this.#readEndTag(name, offset);
    else this.#readStartTag(token, name, offset);
    const isLast = offset + token.length === this.#text.length;
    if (name !== undefined && isLast) this.#noteOpenQuote(token, offset);
  }

  #readText(token: string, offset: number): void {
    if (token.startsWith('<!--')) {
      const isClosed = /^<!--(?:-?>$|[^]*-->$)/.test(token);
      if (!isClosed) this.#unclosed ??= { offset, message: 'Unclosed comment' };
    } else if (this.#open.at(-1) === 'head' && !/^<[!?]/.test(token) && token.trim() !== '') {
      this.#endRun(this.#open.length - 1, offset);
    }
  }

  #noteOpenQuote(tag: string, offset: number): void {
    const quote = /=\s*(?:"[^"]*|'[^']*)$/.exec(tag);
    if (!quote) return;
    const start = offset + quote.index + quote[0].search(/["']/);
    this.#unclosed ??= { offset: start, message: 'Unclosed quotation mark' };
  }

  #readStartTag(token: string, name: string, offset: number): void {
    const isOutsideHead = this.#open.at(-1) === 'head' && !headContent.has(name);
    const ended = isOutsideHead ? ['head'] : (endedBy.get(name) ?? []);
    const run = this.#runOfOptional();
    const first = run.findIndex((open) => ended.includes(open));
    if (first >= 0) this.#endRun(this.#open.length - run.length + first, offset);
    if (token.endsWith('/>') || voidTags.has(name)) return;
    if (rawTags.has(name)) this.#raw = { name, offset };
    else this.#open.push(name);
  }

  #readEndTag(name: string, offset: number): void {
    const innermost = this.#open.slice(-maxDistance);
    const found = innermost.lastIndexOf(name);
    if (found < 0) return;
    const at = this.#open.length - innermost.length + found;
    this.#endRun(at + 1, offset);
    // What may not be omitted is missing here: the parser will say so.
    this.#open.length = at;
  }

  /** The innermost open elements, as far as their end tags may be omitted. */
  #runOfOptional(): string[] {
    const innermost = this.#open.slice(-maxRun);
    return innermost.slice(innermost.findLastIndex((name) => !optionalEndTags.has(name)) + 1);
  }

  /** Ends all open elements from `first` on, if they are all allowed to end without a tag. */
  #endRun(first: number, offset: number): void {
    const ended = this.#open.slice(first);
    if (ended.length === 0 || !ended.every((name) => optionalEndTags.has(name))) return;
    const tags = ended.toReversed().map((name) => `</${name}>`);
    this.#inserted.push({ offset, tags: tags.join('') });
    this.#open.length = first;
  }

  #explicitText(): string {
    const pieces: string[] = [];
    let from = 0;
    for (const { offset, tags } of this.#inserted) {
      pieces.push(this.#text.slice(from, offset), tags);
      from = offset;
    }
    return [...pieces, this.#text.slice(from)].join('');
  }

  #originalOffset(offset: number): number {
    let added = 0;
    for (const insertion of this.#inserted) {
      const start = insertion.offset + added;
      if (offset < start) break;
      if (offset < start + insertion.tags.length) return insertion.offset;
      added += insertion.tags.length;
    }
    return offset - added;
  }
}
