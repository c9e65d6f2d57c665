import type { Paint } from '../../../output.ts';

/** Whose words a text is: a model writes Markdown, all else is shown as it is. */
export type TextKind = 'markdown' | 'verbatim';

/** Turns text that comes in pieces cut anywhere into text for a terminal. */
export interface MarkdownStream {
  /** What of the text so far can be written; the end of a line may be held back. */
  push(text: string, kind: TextKind): string;
  /** What was held back; the next text begins anew. */
  end(): string;
}

/** Without colours the text stays as it is: Markdown is made to be read. */
export function createMarkdownStream(paint: Paint): MarkdownStream {
  const hasColours = paint.bold('x') !== 'x';
  return hasColours
    ? new PaintedMarkdown(paint)
    : { push: (text: string): string => text, end: () => '' };
}

/** A mark that may have its other half further on in the line. */
const marks = /[*`[\]]/;

class PaintedMarkdown implements MarkdownStream {
  readonly #paint: Paint;
  #held = '';
  /** The beginning of the line was written already, as plain words. */
  #isLineBegun = false;
  #kind: TextKind = 'markdown';
  #fence: { readonly mark: string; readonly isDiff: boolean } | undefined;

  constructor(paint: Paint) {
    this.#paint = paint;
  }

  push(text: string, kind: TextKind): string {
    let shown = kind === this.#kind ? '' : this.end();
    this.#kind = kind;
    this.#held += text;
    for (let at = this.#held.indexOf('\n'); at >= 0; at = this.#held.indexOf('\n')) {
      shown += `${this.#line(this.#held.slice(0, at))}\n`;
      this.#held = this.#held.slice(at + 1);
      this.#isLineBegun = false;
    }
    return shown + this.#plainWords();
  }

  end(): string {
    const rest = this.#held === '' ? '' : this.#line(this.#held);
    this.#held = '';
    this.#isLineBegun = false;
    this.#fence = undefined;
    return rest;
  }

  /** Words of a long line are not kept waiting for its end, where nothing in them has to be painted. */
  #plainWords(): string {
    const isPlain = this.#isLineBegun || /^\p{L}/u.test(this.#held);
    const words = this.#held.slice(0, this.#held.lastIndexOf(' ') + 1);
    if (this.#fence || !isPlain || words === '' || marks.test(words)) return '';
    this.#held = this.#held.slice(words.length);
    this.#isLineBegun = true;
    return words;
  }

  #line(line: string): string {
    if (this.#isLineBegun) return this.#kind === 'markdown' ? this.#inline(line) : line;
    const [, mark, language = ''] = /^\s*(`{3,}|~{3,})\s*(\S*)/.exec(line) ?? [];
    if (this.#fence) {
      if (mark?.startsWith(this.#fence.mark) && line.trim() === mark) this.#fence = undefined;
      else return this.#fence.isDiff ? this.#diffLine(line) : line;
      return this.#paint.dim(line);
    }
    if (mark !== undefined) {
      this.#fence = { mark, isDiff: language === 'diff' };
      return this.#paint.dim(line);
    }
    return this.#kind === 'markdown' ? this.#block(line) : line;
  }

  #block(line: string): string {
    const heading = /^#{1,6}\s+(.*?)\s*#*$/.exec(line)?.[1];
    if (heading !== undefined) return this.#paint.bold(heading.replaceAll('**', ''));
    if (/^\s*(?:-{3,}|\*{3,}|_{3,})\s*$/.test(line)) return this.#paint.dim('─'.repeat(ruleWidth));
    const [, indent = '', item] = /^(\s*)[-*+]\s+(.*)$/.exec(line) ?? [];
    if (item !== undefined) return `${indent}• ${this.#inline(item)}`;
    const quote = /^\s*>\s?(.*)$/.exec(line)?.[1];
    return quote === undefined ? this.#inline(line) : this.#paint.dim(`│ ${quote}`);
  }

  /** What stands between backticks is code, and nothing in it is a mark. */
  #inline(text: string): string {
    return text
      .split(/(`[^`]+`)/)
      .map((part, index) =>
        index % 2 === 1 ? this.#paint.yellow(part.slice(1, -1)) : this.#words(part),
      )
      .join('');
  }

  #words(text: string): string {
    return text
      .replaceAll(/\[([^\]]+)\]\(([^\s)]+)\)/g, (_all, name: string, url: string) =>
        name === url ? url : `${name} (${url})`,
      )
      .replaceAll(
        /(^|[\s("'])\*\*(?=[^\s*/])(.*?[^\s*])\*\*(?![\w*/])/g,
        (_all, before: string, said: string) => before + this.#paint.bold(said),
      );
  }

  #diffLine(line: string): string {
    if (/^(?:\+\+\+|---|@@)/.test(line)) return this.#paint.bold(line);
    if (line.startsWith('+')) return this.#paint.green(line);
    return line.startsWith('-') ? this.#paint.red(line) : line;
  }
}

const ruleWidth = 40;
