import { docsLimits, type Passage } from '../library.ts';
import { splitLong } from './split-long.ts';

interface Heading {
  readonly level: number;
  readonly title: string;
}

interface Section {
  readonly trail: readonly string[];
  readonly line: number;
  readonly lines: string[];
}

/** The lines `###`, `===` and the like that make a heading of a text, in Markdown and reStructuredText. */
const underline = /^([=\-~^"'`*+#.:_])\1{2,}\s*$/;

/** Splits a document along its headings. Each passage carries the headings above it. */
export function splitMarkdown(text: string): Passage[] {
  const passages: Passage[] = [];
  for (const section of sectionsOf(text.split('\n'))) {
    const heading = section.trail.join(' > ');
    passages.push(...splitItems({ heading, line: section.line, lines: section.lines }));
  }
  return passages;
}

function sectionsOf(lines: readonly string[]): Section[] {
  const sections: Section[] = [];
  const open: Heading[] = [];
  const underlines: string[] = [];
  let current: Section = { trail: [], line: 1, lines: [] };
  let fence: string | undefined;
  lines.forEach((line, index) => {
    const mark = /^ {0,3}(```|~~~)/.exec(line)?.[1];
    if (mark !== undefined && (fence === undefined || fence === mark)) {
      fence = fence === undefined ? mark : undefined;
    }
    const heading = fence === undefined ? headingAt(lines, index, underlines) : undefined;
    if (heading) {
      while ((open.at(-1)?.level ?? 0) >= heading.level) open.pop();
      open.push(heading);
      sections.push(current);
      current = { trail: open.map(({ title }) => title), line: index + 1, lines: [] };
    }
    current.lines.push(line);
  });
  return [...sections, current].filter(({ lines: own }) => own.some((line) => line.trim() !== ''));
}

/** `underlines` collects the marks of reStructuredText in the order they come: that is their level. */
function headingAt(
  lines: readonly string[],
  index: number,
  underlines: string[],
): Heading | undefined {
  const line = lines[index] ?? '';
  const atx = /^ {0,3}(#{1,6})[ \t]+(\S.*)$/.exec(line);
  if (atx) return { level: atx[1]?.length ?? 1, title: plainTitle(atx[2] ?? '') };
  const html = /^\s*<h([1-6])\b[^<>]{0,200}>(.{1,200}?)<\/h[1-6]>/i.exec(line.slice(0, 500));
  if (html) return { level: Number(html[1]), title: plainTitle(html[2] ?? '') };
  const mark = underline.exec(lines[index + 1] ?? '')?.[1];
  const isTitle = /^\S/.test(line) && !underline.test(line) && !/^[|>*+-] ?/.test(line);
  if (mark === undefined || !isTitle) return undefined;
  // A rule below a paragraph is no heading; a title stands alone.
  const before = (lines[index - 1] ?? '').trim();
  if (before !== '' && !underline.test(before)) return undefined;
  if (!underlines.includes(mark)) underlines.push(mark);
  return { level: underlines.indexOf(mark) + 1, title: plainTitle(line) };
}

/** Without the marks of links, emphasis, images and tags. */
function plainTitle(title: string): string {
  return (
    title
      .slice(0, 300)
      .replaceAll(/!\[[^\]]*\]\([^()]*\)/g, '')
      .replaceAll(/\[([^\]]*)\]\([^()]*\)/g, '$1')
      .replaceAll(/<[^<>]*>/g, '')
      .replaceAll(/[`*]|#+\s*$/g, '')
      // What is left of a row of badges that was too long.
      .replace(/\[?!?\[.*$/, '')
      .trim()
  );
}

interface Block {
  readonly heading: string;
  readonly line: number;
  readonly lines: readonly string[];
}

/** How many items make a list one that describes an interface, item by item. */
const minItems = 3;

/** Long lists whose items each begin with code describe one thing per item: each is a passage of its own. */
function splitItems(block: Block): Passage[] {
  const { heading, line, lines } = block;
  const starts = lines.flatMap((text, index) => (itemTitle(text) === undefined ? [] : [index]));
  const size = lines.reduce((sum, text) => sum + text.length + 1, 0);
  if (starts.length < minItems || size <= docsLimits.maxPassageChars) return splitLong(block);
  const passages = splitLong({ heading, line, lines: lines.slice(0, starts[0]) });
  starts.forEach((start, index) => {
    const title = itemTitle(lines[start] ?? '') ?? '';
    passages.push(
      ...splitLong({
        heading: heading === '' ? title : `${heading} > ${title}`,
        line: line + start,
        lines: lines.slice(start, starts[index + 1]),
      }),
    );
  });
  return passages;
}

function itemTitle(line: string): string | undefined {
  return /^[*+-] +(?:\*\*|\[)?`([^`]{1,200})`/.exec(line)?.[1];
}
