import type { TextSpan } from './flat-tree.ts';
import { lookupTable } from '../../../kernel/index.ts';

export interface HtmlScan {
  /** Names of all elements, lower case, in source order. */
  readonly elements: readonly string[];
  readonly comments: readonly TextSpan[];
  readonly nesting: number;
}

const voidElements: ReadonlySet<string> = new Set(
  'area base br col embed hr img input link meta source track wbr'.split(' '),
);

/** Elements whose content is text up to their end tag. */
const textElements: ReadonlySet<string> = new Set(['script', 'style', 'textarea', 'title']);

/** An element that ends when one of its siblings begins. */
const siblingsThatClose: Readonly<Record<string, readonly string[]>> = lookupTable({
  p: 'p div ul ol dl table form section article header footer h1 h2 h3 h4 h5 h6 hr pre'.split(' '),
  li: ['li'],
  dt: ['dt', 'dd'],
  dd: ['dt', 'dd'],
  option: ['option', 'optgroup'],
  tr: ['tr'],
  td: ['td', 'th'],
  th: ['td', 'th'],
});

/** Reads the tags of a page in one pass; end tags that may be left out are filled in. */
export function scanHtml(text: string): HtmlScan {
  const elements: string[] = [];
  const comments: TextSpan[] = [];
  const open: string[] = [];
  let nesting = 0;
  for (let at = text.indexOf('<'); at !== -1; at = text.indexOf('<', at)) {
    if (text.startsWith('<!--', at)) {
      const end = endAfter(text, '-->', at + 4);
      comments.push({ start: at, end });
      at = end;
      continue;
    }
    const tag = readTag(text, at);
    at = tag?.end ?? at + 1;
    if (!tag) continue;
    if (tag.isEnd) close(open, tag.name);
    else {
      elements.push(tag.name);
      closeSiblings(open, tag.name);
      nesting = Math.max(nesting, open.length + 1);
      if (tag.isEmpty || voidElements.has(tag.name)) continue;
      open.push(tag.name);
      if (textElements.has(tag.name)) at = endOfText(text, tag.name, at);
    }
  }
  return { elements, comments, nesting };
}

interface Tag {
  readonly name: string;
  readonly isEnd: boolean;
  readonly isEmpty: boolean;
  readonly end: number;
}

const tagName = /<(\/?)([a-z][a-z0-9:-]*)/iy;

function readTag(text: string, at: number): Tag | undefined {
  tagName.lastIndex = at;
  const match = tagName.exec(text);
  if (!match) return undefined;
  const [whole, slash = '', name = ''] = match;
  const end = endOfTag(text, at + whole.length);
  return {
    name: name.toLowerCase(),
    isEnd: slash === '/',
    isEmpty: text.slice(end - 2, end) === '/>',
    end,
  };
}

/** Behind the `>` that is not inside quotes. */
function endOfTag(text: string, from: number): number {
  let quote = '';
  for (let at = from; at < text.length; at += 1) {
    const character = text[at] ?? '';
    if (quote === '' && character === '>') return at + 1;
    if (quote === '' && (character === '"' || character === "'")) quote = character;
    else if (character === quote) quote = '';
  }
  return text.length;
}

function endOfText(text: string, name: string, from: number): number {
  const endTag = new RegExp(`</${name}`, 'gi');
  endTag.lastIndex = from;
  return endTag.exec(text)?.index ?? text.length;
}

function endAfter(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from);
  return at === -1 ? text.length : at + mark.length;
}

function close(open: string[], name: string): void {
  const at = open.lastIndexOf(name);
  if (at !== -1) open.length = at;
}

function closeSiblings(open: string[], name: string): void {
  const last = open.at(-1);
  if (last !== undefined && siblingsThatClose[last]?.includes(name)) open.pop();
}
