/** A path that a message names with an `@`, and where in the message that stands. */
export interface Mention {
  readonly path: string;
  readonly start: number;
  readonly end: number;
  /** It can be nothing but a path: quoted, or with a slash or an ending. */
  readonly isSure: boolean;
}

/** `@@`, `@"a path"`, `@path`: each at the beginning or after a blank or an opening bracket. */
const mention =
  /(?<![^\s([{])@(?:(?<escape>@)|"(?<quoted>[^"\n]{1,4096})"|(?<plain>[^\s@"`]{1,4096}))/g;
const codeParts = /```[^]*?(?:```|$)|`[^`\n]*`/g;

/** What a message mentions outside of code: in code an `@` is a decorator or an annotation. */
export function findMentions(message: string): readonly Mention[] {
  const code = [...message.matchAll(codeParts)].map(({ 0: { length }, index }) => ({
    start: index,
    end: index + length,
  }));
  const found: Mention[] = [];
  let part = 0;
  for (const match of message.matchAll(mention)) {
    const { escape, quoted, plain = '' } = match.groups ?? {};
    const start = match.index;
    while (part < code.length && (code[part]?.end ?? 0) <= start) part += 1;
    if (escape !== undefined || (code[part]?.start ?? Infinity) <= start) continue;
    const path = quoted ?? withoutPunctuation(plain);
    if (path === '') continue;
    const end = start + (quoted === undefined ? 1 : 3) + path.length;
    const isSure = quoted !== undefined || /[/\\]|\.[^.]/.test(path);
    found.push({ path, start, end, isSure });
  }
  return found;
}

/** A sentence's comma, bracket or full stop is not the file's. */
function withoutPunctuation(word: string): string {
  let end = word.length;
  while (end > 0 && '.,;:!?)]}'.includes(word.charAt(end - 1))) end -= 1;
  return word.slice(0, end);
}
