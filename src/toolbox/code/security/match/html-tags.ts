/** An opening tag. Names are lower case; an attribute without a value has an empty one. */
export interface HtmlTag {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly start: number;
  /** Where its contents begin. */
  readonly end: number;
}

const maxTags = 500_000;
const maxAttributes = 500;
const rawTextTags = new Set(['script', 'style', 'textarea', 'title']);

/** The opening tags of a page in order. Forgiving as browsers are; comments and raw text are skipped. */
export function readTags(page: string): readonly HtmlTag[] {
  const lowered = page.toLowerCase();
  const tags: HtmlTag[] = [];
  for (let at = page.indexOf('<'); at >= 0 && tags.length < maxTags; at = page.indexOf('<', at)) {
    if (page.startsWith('<!--', at)) {
      const end = page.indexOf('-->', at + 4);
      if (end < 0) break;
      at = end + 3;
      continue;
    }
    const tag = /[a-z]/.test(lowered[at + 1] ?? '') ? readTag(page, at) : undefined;
    if (tag) tags.push(tag);
    at = tag ? tag.end : at + 1;
    if (tag && rawTextTags.has(tag.name)) {
      const close = lowered.indexOf(`</${tag.name}`, at);
      if (close < 0) break;
      at = close;
    }
  }
  return tags;
}

function readTag(page: string, start: number): HtmlTag {
  let at = skip(page, start + 1, isNameEnd);
  const name = page.slice(start + 1, at).toLowerCase();
  const attributes = new Map<string, string>();
  while (attributes.size < maxAttributes) {
    at = skip(page, at, (character) => !isSpace(character) && character !== '/');
    if (at >= page.length || page[at] === '>') break;
    const nameEnd = Math.max(at + 1, skip(page, at, isAttributeEnd));
    const attribute = page.slice(at, nameEnd).toLowerCase();
    at = skip(page, nameEnd, (character) => !isSpace(character));
    if (page[at] !== '=') {
      attributes.set(attribute, '');
      continue;
    }
    at = skip(page, at + 1, (character) => !isSpace(character));
    const quote = page[at];
    const isQuoted = quote === '"' || quote === "'";
    const from = isQuoted ? at + 1 : at;
    const to = isQuoted
      ? endOr(page, page.indexOf(quote, from))
      : skip(page, from, (character) => isSpace(character) || character === '>');
    attributes.set(attribute, page.slice(from, to));
    at = isQuoted ? to + 1 : to;
  }
  const close = page.indexOf('>', at);
  return { name, attributes, start, end: close < 0 ? page.length : close + 1 };
}

function endOr(page: string, found: number): number {
  return found < 0 ? page.length : found;
}

function skip(page: string, from: number, until: (character: string) => boolean): number {
  let at = from;
  while (at < page.length && !until(page[at] ?? '')) at += 1;
  return at;
}

const isSpace = (character: string): boolean => /\s/.test(character);
const isNameEnd = (character: string): boolean =>
  isSpace(character) || character === '>' || character === '/';
const isAttributeEnd = (character: string): boolean => isNameEnd(character) || character === '=';
