import { LockfileMalformedError } from '../errors.ts';
import { lookupTable } from '../../../../kernel/index.ts';

/** An element of an XML document: no attributes, no mixed content, which is all a POM needs. */
export interface XmlElement {
  readonly name: string;
  readonly line: number;
  readonly children: XmlElement[];
  text: string;
}

const maxDepth = 200;

/**
 * Reads an XML document. Declared entities are never expanded and nothing outside the text is
 * fetched, so hostile documents cost no more than their length.
 */
export function readXml(source: string, path: string): XmlElement {
  const text = source;
  const root: XmlElement = { name: '', line: 1, children: [], text: '' };
  const open: XmlElement[] = [root];
  const lines = lineFinder(text);
  let position = 0;
  while (position < text.length) {
    const start = text.indexOf('<', position);
    const current = open.at(-1) ?? root;
    current.text += decode(text.slice(position, start < 0 ? text.length : start));
    if (start < 0) break;
    const markup = readMarkup(text, start);
    const line = lines(start);
    if (!markup) throw new LockfileMalformedError(path, line, 'a tag is never closed');
    position = markup.end;
    if (markup.kind === 'text') current.text += markup.content;
    if (markup.kind === 'close') {
      if (open.length < 2 || current.name !== markup.content) {
        throw new LockfileMalformedError(path, line, `</${markup.content}> closes no open element`);
      }
      open.pop();
    }
    if (markup.kind === 'open' || markup.kind === 'empty') {
      const element = { name: markup.content, line, children: [], text: '' };
      current.children.push(element);
      if (markup.kind === 'open') open.push(element);
      if (open.length > maxDepth) {
        throw new LockfileMalformedError(
          path,
          line,
          `elements nest deeper than ${maxDepth} levels`,
        );
      }
    }
  }
  const unclosed = open.length > 1 ? open.at(-1) : undefined;
  if (unclosed) {
    throw new LockfileMalformedError(path, unclosed.line, `<${unclosed.name}> is never closed`);
  }
  const [document] = root.children;
  if (!document) throw new LockfileMalformedError(path, 1, 'it has no element');
  return document;
}

interface Markup {
  readonly kind: 'open' | 'close' | 'empty' | 'text' | 'ignored';
  readonly content: string;
  readonly end: number;
}

const enclosures = [
  { start: '<!--', end: '-->' },
  { start: '<![CDATA[', end: ']]>' },
  { start: '<?', end: '?>' },
] as const;

function readMarkup(text: string, start: number): Markup | undefined {
  for (const { start: opening, end: closing } of enclosures) {
    if (!text.startsWith(opening, start)) continue;
    const end = text.indexOf(closing, start + opening.length);
    if (end < 0) return undefined;
    const isText = opening === '<![CDATA[';
    const content = isText ? text.slice(start + opening.length, end) : '';
    return { kind: isText ? 'text' : 'ignored', content, end: end + closing.length };
  }
  if (text.startsWith('<!', start)) return readDoctype(text, start);
  const end = tagEnd(text, start);
  if (end < 0) return undefined;
  const inner = text.slice(start + 1, end);
  const name = /^\/?([^\s/>]*)/.exec(inner)?.[1] ?? '';
  const content = name.includes(':') ? name.slice(name.indexOf(':') + 1) : name;
  if (inner.startsWith('/')) return { kind: 'close', content, end: end + 1 };
  return { kind: inner.endsWith('/') ? 'empty' : 'open', content, end: end + 1 };
}

/** A `>` inside an attribute's quotes does not end the tag. */
function tagEnd(text: string, start: number): number {
  let quote = '';
  for (let index = start; index < text.length; index += 1) {
    const character = text[index] ?? '';
    if (quote !== '') {
      if (character === quote) quote = '';
    } else if (character === '"' || character === "'") quote = character;
    else if (character === '>') return index;
  }
  return -1;
}

function readDoctype(text: string, start: number): Markup | undefined {
  const bracket = text.indexOf('[', start);
  const close = text.indexOf('>', start);
  if (close < 0) return undefined;
  if (bracket < 0 || bracket > close) return { kind: 'ignored', content: '', end: close + 1 };
  const end = text.indexOf(']>', bracket);
  return end < 0 ? undefined : { kind: 'ignored', content: '', end: end + 2 };
}

const entities: Readonly<Record<string, string>> = lookupTable({
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&apos;': "'",
  '&amp;': '&',
});

function decode(text: string): string {
  return text.includes('&')
    ? text.replace(/&(?:lt|gt|quot|apos|amp);/g, (e) => entities[e] ?? e)
    : text;
}

/** Line of a position; positions must be asked in rising order, so the whole costs one pass. */
function lineFinder(text: string): (position: number) => number {
  let line = 1;
  let next = text.indexOf('\n');
  return (position) => {
    while (next >= 0 && next < position) {
      line += 1;
      next = text.indexOf('\n', next + 1);
    }
    return line;
  };
}
