import type { CallContext } from '../../contract/server/index.ts';

/**
 * A server of the fleet that offers the tools of Context7. Both give what the tool answered; they
 * throw when the call itself failed.
 */
export interface Context7 {
  resolve(
    request: { readonly name: string; readonly query: string },
    context: CallContext,
  ): Promise<Context7Text>;
  query(
    request: { readonly library: string; readonly query: string },
    context: CallContext,
  ): Promise<Context7Text>;
}

/** The text of a tool's result. */
export interface Context7Text {
  readonly text: string;
  readonly isError: boolean;
}

/** Looks for such a server. Where there is none, those of which nothing is known yet may be one. */
export type FindContext7 = () => Promise<
  | { readonly kind: 'found'; readonly context7: Context7 }
  | { readonly kind: 'none'; readonly unlisted: readonly string[] }
>;

export interface Context7Library {
  /** `/facebook/react` */
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly versions: readonly string[];
}

/** Longer answers are cut before they are looked at. */
const maxAnswerChars = 400_000;
const maxLibraries = 20;
const idLine = '- Context7-compatible library ID: ';

/** The libraries an answer of `resolve-library-id` lists; none when it is a failure told as text. */
export function readLibraries(answer: string): Context7Library[] {
  const found: Context7Library[] = [];
  for (const block of answer.slice(0, maxAnswerChars).split(/^-{5,}$/m)) {
    const lines = block.split('\n');
    const field = (start: string): string =>
      lines
        .find((line) => line.startsWith(start))
        ?.slice(start.length)
        .trim() ?? '';
    const id = field(idLine);
    if (!/^\/[\w.@-]+(?:\/[\w.@-]+)+$/.test(id)) continue;
    const versions = field('- Versions: ').split(', ').filter(Boolean);
    found.push({ id, title: field('- Title: '), description: field('- Description: '), versions });
    if (found.length >= maxLibraries) break;
  }
  return found;
}

export interface Context7Snippet {
  readonly heading: string;
  readonly text: string;
  /** The address it was taken from. */
  readonly source: string;
}

/**
 * The snippets of an answer of `query-docs`. Context7 tells failures (`fetch failed`, a used-up quota,
 * an unknown library) as plain text: what has neither a heading nor code is one, and gives none.
 */
export function readSnippets(answer: string): Context7Snippet[] {
  const found: Context7Snippet[] = [];
  for (const block of answer.slice(0, maxAnswerChars).split(/^[-=]{10,}$/m)) {
    const text = block.trim();
    const heading = /^#{1,6} (.{1,300})$/m.exec(text)?.[1];
    if (heading === undefined && !text.includes('```')) continue;
    const source = /^Source: (\S{1,1000})/m.exec(text)?.[1] ?? '';
    found.push({ heading: heading ?? '', text, source });
  }
  return found;
}
