/** Whole lines of a text. */
export interface LineRange {
  readonly start: number;
  readonly end: number;
}

/** What is unterminated goes on to the end of the text, so that none of it is looked at twice. */
const pieces = [
  /e'[^'\\]*(?:(?:''|\\[^]?)[^'\\]*)*(?:'|$)/,
  /'[^']*(?:'|$)|"[^"]*(?:"|$)/,
  /--[^\n]*|\/\*[^]*?(?:\*\/|$)/,
  /\$(?<tag>\w{0,63})\$[^]*?(?:\$\k<tag>\$|$)/,
  // A command of psql ends with its line, whatever quotes are in it.
  /\\[^\n]*/,
  /(?<word>[\w\u0080-\uffff][\w$\u0080-\uffff]*)/,
  /[();]/,
].map(({ source }) => source);

const endOfData = '\n\\.\n';

/**
 * Where a script of PostgreSQL holds data: behind each statement `COPY … FROM stdin`, which may
 * stand on several lines, up to the line `\.` or the end of the text.
 */
export function findCopyData(text: string): readonly LineRange[] {
  const found: LineRange[] = [];
  const scanner = new RegExp(pieces.join('|'), 'gi');
  let words: string[] = [];
  let depth = 0;
  for (let match = scanner.exec(text); match; match = scanner.exec(text)) {
    const [piece] = match;
    const word = match.groups?.['word'];
    if (piece === '(') depth += 1;
    else if (piece === ')') depth -= 1;
    else if (word !== undefined && depth === 0) words.push(word.toLowerCase());
    else if (piece === ';') {
      const data = isCopyFromInput(words) ? dataBehind(text, scanner.lastIndex) : undefined;
      if (data) {
        found.push(data);
        scanner.lastIndex = data.end;
      }
      words = [];
      depth = 0;
    }
  }
  return found;
}

function isCopyFromInput(words: readonly string[]): boolean {
  return words[0] === 'copy' && words[words.indexOf('from') + 1] === 'stdin';
}

/** Nothing but space may stand between the statement and the end of its line. */
function dataBehind(text: string, offset: number): LineRange | undefined {
  const lineRest = /[^\S\n]*\n/y;
  lineRest.lastIndex = offset;
  if (!lineRest.test(text)) return undefined;
  const start = lineRest.lastIndex;
  const end = text.indexOf(endOfData, start - 1);
  return { start, end: end < 0 ? text.length : end + endOfData.length };
}
