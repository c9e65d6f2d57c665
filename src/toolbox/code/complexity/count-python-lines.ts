import type { LineCounts } from './count-lines.ts';

/** Lines as radon's `raw` module counts them, from which its maintainability index is made. */
export interface PythonLineCounts extends LineCounts {
  /** Comments, and the lines of multi-line strings that stand alone. */
  readonly commentsAndDocstrings: number;
}

type TokenKind = 'comment' | 'string' | 'colon' | 'semicolon' | 'other';

interface Token {
  readonly kind: TokenKind;
  /** For a string: whether it spans several lines. */
  readonly isMultiline: boolean;
}

/** A statement with all lines it takes, or one line that is blank or a comment. */
interface Group {
  readonly lines: number;
  readonly blankLines: number;
  readonly tokens: readonly Token[];
}

/** What Python's `str.splitlines` breaks at. */
const lineBreak = /\r\n|[\n\r\v\f\u001C-\u001E\u0085\u2028\u2029]/;

export function countPythonLines(text: string): PythonLineCounts {
  const lines = text.split(lineBreak);
  if (lines.at(-1) === '') lines.pop();
  const counts = { code: 0, logical: 0, comments: 0, alone: 0, docstrings: 0, blank: 0 };
  for (const group of groupLines(lines)) {
    counts.comments += group.tokens.filter(({ kind }) => kind === 'comment').length;
    counts.logical += logicalLines(group.tokens);
    const [first] = group.tokens;
    const isOnly = group.tokens.length === 1;
    if (isOnly && first?.kind === 'comment') counts.alone += 1;
    else if (isOnly && first?.kind === 'string' && !first.isMultiline) counts.alone += 1;
    else {
      const isDocstring = isOnly && first?.kind === 'string';
      counts[isDocstring ? 'docstrings' : 'code'] += group.lines - group.blankLines;
      counts.blank += group.blankLines;
    }
  }
  return {
    total: lines.length,
    code: counts.code,
    logical: counts.logical,
    comment: counts.alone + counts.docstrings,
    blank: counts.blank,
    commentsAndDocstrings: counts.comments + counts.docstrings,
  };
}

/** One line, and one more where `;` or a `:` with something behind it starts another. */
function logicalLines(tokens: readonly Token[]): number {
  let count = 0;
  let part: Token[] = [];
  for (const token of [...tokens, { kind: 'semicolon', isMultiline: false } as const]) {
    if (token.kind === 'comment') continue;
    if (token.kind !== 'semicolon') {
      part.push(token);
      continue;
    }
    const colon = part.findLastIndex(({ kind }) => kind === 'colon');
    if (colon !== -1) count += colon === part.length - 1 ? 1 : 2;
    else if (part.length > 0) count += 1;
    part = [];
  }
  return count;
}

interface Scanner {
  /** Of the statement that is being read. */
  tokens: Token[];
  depth: number;
  /** The quotes of a string that is not closed yet. */
  quotes: string;
  isContinued: boolean;
}

function* groupLines(lines: readonly string[]): Generator<Group> {
  const scanner: Scanner = { tokens: [], depth: 0, quotes: '', isContinued: false };
  let count = 0;
  let blankLines = 0;
  for (const line of lines) {
    const stripped = line.trim();
    count += 1;
    if (stripped === '') blankLines += 1;
    scanLine(scanner, stripped);
    if (scanner.depth > 0 || scanner.quotes !== '' || scanner.isContinued) continue;
    yield { lines: count, blankLines, tokens: scanner.tokens };
    scanner.tokens = [];
    count = 0;
    blankLines = 0;
  }
  if (count > 0) yield { lines: count, blankLines, tokens: scanner.tokens };
}

const stringStart = /([a-z]{0,2})("""|'''|"|')/iy;
const word = /[\p{ID_Start}_0-9][\p{ID_Continue}.]*/uy;

function scanLine(scanner: Scanner, line: string): void {
  scanner.isContinued = false;
  let at = 0;
  if (scanner.quotes !== '') {
    at = endOfString(scanner, line, 0);
    if (scanner.quotes !== '') return;
    scanner.tokens.push({ kind: 'string', isMultiline: true });
  }
  while (at < line.length) at = scanToken(scanner, line, at);
}

function scanToken(scanner: Scanner, line: string, at: number): number {
  const character = line[at] ?? '';
  if (/\s/.test(character)) return at + 1;
  if (character === '#') {
    scanner.tokens.push({ kind: 'comment', isMultiline: false });
    return line.length;
  }
  if (character === '\\' && at === line.length - 1) {
    scanner.isContinued = true;
    return line.length;
  }
  stringStart.lastIndex = at;
  const opening = stringStart.exec(line);
  if (opening) return scanString(scanner, line, opening);
  if ('([{'.includes(character)) scanner.depth += 1;
  if (')]}'.includes(character)) scanner.depth -= 1;
  word.lastIndex = at;
  const found = word.exec(line)?.[0] ?? (line.startsWith(':=', at) ? ':=' : character);
  scanner.tokens.push({ kind: tokenKind(found), isMultiline: false });
  return at + found.length;
}

function tokenKind(token: string): TokenKind {
  if (token === ':') return 'colon';
  return token === ';' ? 'semicolon' : 'other';
}

function scanString(scanner: Scanner, line: string, opening: RegExpExecArray): number {
  const [whole, , quotes = ''] = opening;
  scanner.quotes = quotes;
  const end = endOfString(scanner, line, opening.index + whole.length);
  if (scanner.quotes === '') scanner.tokens.push({ kind: 'string', isMultiline: false });
  return end;
}

/** Where the open string ends in this line; past the line, and still open, when it does not. */
function endOfString(scanner: Scanner, line: string, from: number): number {
  for (let at = from; at < line.length; at += 1) {
    if (line[at] === '\\') {
      at += 1;
      continue;
    }
    if (line.startsWith(scanner.quotes, at)) {
      const end = at + scanner.quotes.length;
      scanner.quotes = '';
      return end;
    }
  }
  return line.length;
}
