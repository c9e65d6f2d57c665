/** What is used of a node of Prettier's HTML tree. */
export interface HtmlNode {
  readonly kind?: string;
  readonly name?: string;
  readonly isVoid?: boolean;
  readonly isSelfClosing?: boolean;
  readonly children?: readonly HtmlNode[];
  readonly endSourceSpan?: unknown;
  readonly sourceSpan?: {
    readonly start: { readonly offset: number };
    readonly end: { readonly offset: number };
  };
}

/** Elements whose end tag HTML lets one omit. */
export const optionalEndTags: ReadonlySet<string> = new Set(
  'html head body li dt dd p rb rt rtc rp optgroup option colgroup caption thead tbody tfoot tr td th'.split(
    ' ',
  ),
);

/** Elements that have no end tag. */
export const voidTags: ReadonlySet<string> = new Set(
  'area base basefont bgsound br col command embed frame hr image img input keygen link meta param source track wbr'.split(
    ' ',
  ),
);

/** The first element, in the order of the text, that is open at the end though it must be closed. */
export function findUnclosedElement(root: HtmlNode): { name: string; offset: number } | undefined {
  const open: HtmlNode[] = [root];
  for (let node = open.pop(); node; node = open.pop()) {
    if (isUnclosed(node)) {
      return { name: node.name ?? '', offset: node.sourceSpan?.start.offset ?? 0 };
    }
    for (const child of node.children?.toReversed() ?? []) open.push(child);
  }
  return undefined;
}

function isUnclosed(node: HtmlNode): boolean {
  if (node.kind !== 'element' || node.endSourceSpan !== null) return false;
  if (node.isVoid === true || node.isSelfClosing === true) return false;
  return !optionalEndTags.has((node.name ?? '').toLowerCase());
}
