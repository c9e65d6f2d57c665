import {
  defaultTreeAdapter,
  ErrorCodes,
  html,
  parse,
  parseFragment,
  type DefaultTreeAdapterTypes,
  type ParserError,
} from 'parse5';

type Node = DefaultTreeAdapterTypes.Node;
type Element = DefaultTreeAdapterTypes.Element;

/** An HTML text in which every end tag that may be omitted is written out. */
export interface ExplicitHtml {
  readonly text: string;
  /** The offset in the original text of one in this. */
  readonly originalOffset: (offset: number) => number;
  /** Start of a comment, quoted value or script that never ends. */
  readonly unclosed?: UnclosedPart | undefined;
}

interface UnclosedPart {
  readonly offset: number;
  readonly message: string;
}

/** Elements whose end tag may be omitted. */
export const optionalEndTags: ReadonlySet<string> = new Set(
  'html head body li dt dd p rb rt rtc rp optgroup option colgroup caption thead tbody tfoot tr td th'.split(
    ' ',
  ),
);

/** Their content is text up to the end tag. */
const rawTags: ReadonlySet<string> = new Set(
  'script style textarea title xmp iframe noembed'.split(' '),
);

/**
 * Writes out the end tags HTML implies. Prettier knows the rules for `p` and `li` but not those of
 * tables, lists of terms, option groups and `head`, and nests the elements wrongly.
 */
export function withEndTags(text: string): ExplicitHtml {
  const errors: ParserError[] = [];
  const root = parseHtmlTree(text, (error) => errors.push(error));
  const inserted: { offset: number; tag: string }[] = [];
  const ends = new Map<Node, number>();
  const broken = new Set<Node>();
  let unclosed: UnclosedPart | undefined;
  for (const node of nodesInEndOrder(root)) {
    const location = node.sourceCodeLocation;
    if (!location) continue;
    const { startOffset: offset, endOffset } = location;
    if (node.nodeName === '#comment' && isOpenComment(text.slice(offset, endOffset))) {
      unclosed = { offset, message: 'Unclosed comment' };
    }
    ends.set(node, endOffset);
    if (!isImplicitlyClosed(node, text)) continue;
    const last = childNodes(node).at(-1);
    // parse5 takes the start tags of `head` and `body` for their ends.
    const end = Math.max(endOffset, (last && ends.get(last)) ?? 0);
    ends.set(node, end);
    const { tagName } = node;
    if (rawTags.has(tagName)) {
      unclosed = { offset, message: `Element "${tagName}" is never closed` };
    } else if (optionalEndTags.has(tagName) && !(last && broken.has(last))) {
      inserted.push({ offset: Math.min(end, text.trimEnd().length), tag: `</${tagName}>` });
      // An end tag is missing that may not be omitted; Prettier's parser says so. Void elements are empty.
    } else if (last) broken.add(node);
  }
  if (errors.some(({ code }) => code === ErrorCodes.eofInTag)) unclosed ??= findOpenQuote(text);
  if (unclosed) inserted.length = 0;
  // Stable: of elements that end at the same offset the inner ones come first.
  inserted.sort((a, b) => a.offset - b.offset);
  return { ...insertTags(text, inserted), unclosed };
}

/** Never in quirks mode, in which a table does not end a paragraph: Prettier always ends it. */
const treeAdapter = {
  ...defaultTreeAdapter,
  getDocumentMode: () => html.DOCUMENT_MODE.NO_QUIRKS,
};

/** The tree of a page, or of a part of one, such as table rows, which a page could not start with. */
export function parseHtmlTree(
  text: string,
  onParseError: ((error: ParserError) => void) | null = null,
): Node {
  const isPage = /<(?:!doctype|html|head|body)\b/i.test(text);
  const options = { treeAdapter, sourceCodeLocationInfo: true, onParseError };
  return isPage ? parse(text, options) : parseFragment(text, options);
}

export function childNodes(node: Node): readonly Node[] {
  if ('content' in node) return node.content.childNodes;
  return 'childNodes' in node ? node.childNodes : [];
}

/** All nodes, each after those inside it. */
function nodesInEndOrder(root: Node): Node[] {
  const found: Node[] = [];
  const open = [root];
  for (let node = open.pop(); node; node = open.pop()) {
    found.push(node);
    for (const child of childNodes(node)) open.push(child);
  }
  return found.reverse();
}

function isOpenComment(source: string): boolean {
  return /^<!--(?!-?>$)/.test(source) && !source.endsWith('-->');
}

function isImplicitlyClosed(node: Node, text: string): node is Element {
  if (!('tagName' in node) || node.sourceCodeLocation?.endTag) return false;
  const startTag = node.sourceCodeLocation?.startTag;
  return startTag !== undefined && text[startTag.endOffset - 2] !== '/';
}

/** Nothing behind the open quotation mark is one of its kind, so it is the last of the text. */
function findOpenQuote(text: string): UnclosedPart | undefined {
  const offsets = ['"', "'"]
    .map((quote) => text.lastIndexOf(quote))
    .filter((offset) => text.slice(0, Math.max(offset, 0)).trimEnd().endsWith('='));
  return offsets.length === 0
    ? undefined
    : { offset: Math.min(...offsets), message: 'Unclosed quotation mark' };
}

function insertTags(
  text: string,
  inserted: readonly { readonly offset: number; readonly tag: string }[],
): Pick<ExplicitHtml, 'text' | 'originalOffset'> {
  const pieces: string[] = [];
  let from = 0;
  for (const { offset, tag } of inserted) {
    pieces.push(text.slice(from, offset), tag);
    from = offset;
  }
  const originalOffset = (explicitOffset: number): number => {
    let added = 0;
    for (const { offset, tag } of inserted) {
      const start = offset + added;
      if (explicitOffset < start) break;
      if (explicitOffset < start + tag.length) return offset;
      added += tag.length;
    }
    return explicitOffset - added;
  };
  return { text: [...pieces, text.slice(from)].join(''), originalOffset };
}
