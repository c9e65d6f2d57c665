/** A piece of SQL text; comments and space are left out. */
export interface SqlToken {
  readonly kind: 'word' | 'quoted' | 'string' | 'number' | 'symbol';
  readonly text: string;
  /** Upper case for words, the text itself otherwise. */
  readonly upper: string;
  readonly start: number;
  readonly end: number;
  /** How many parentheses are open around it. */
  readonly depth: number;
}

const skipped = /\s+|--[^\n]*/uy;
const word = /[\p{L}_@#][\p{L}\p{N}_@#$]*/uy;
const number = /(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y;
const symbol = /<>|!=|<=|>=|\|\||::|:=|=>|->>?|[^\s]/uy;
const dollarTag = /\$(?:[\p{L}_][\p{L}\p{N}_]*)?\$/uy;

/** The tokens of a text in any dialect. What is not closed ends with the text. */
export function tokenizeSql(text: string): SqlToken[] {
  const tokens: SqlToken[] = [];
  let depth = 0;
  let at = 0;
  while (at < text.length) {
    const space = text.startsWith('/*', at) ? endOfComment(text, at) : matchEnd(skipped, text, at);
    if (space !== undefined) {
      at = space;
      continue;
    }
    const { kind, end } = tokenAt(text, at);
    const found = text.slice(at, end);
    if (found === ')') depth = Math.max(0, depth - 1);
    const upper = kind === 'word' ? found.toUpperCase() : found;
    tokens.push({ kind, text: found, upper, start: at, end, depth });
    if (found === '(') depth += 1;
    at = end;
  }
  return tokens;
}

/** Statements, each without its semicolon; empty ones are left out. */
export function splitStatements(tokens: readonly SqlToken[]): readonly (readonly SqlToken[])[] {
  const statements: SqlToken[][] = [[]];
  for (const token of tokens) {
    if (token.text === ';' && token.depth === 0) statements.push([]);
    else statements.at(-1)?.push(token);
  }
  return statements.filter((statement) => statement.length > 0);
}

function tokenAt(text: string, at: number): Pick<SqlToken, 'kind' | 'end'> {
  const first = text.charAt(at);
  if (first === "'") return { kind: 'string', end: endOfQuote(text, at, "'") };
  if (first === '"' || first === '`') return { kind: 'quoted', end: endOfQuote(text, at, first) };
  if (first === '$') {
    const tagEnd = matchEnd(dollarTag, text, at);
    if (tagEnd !== undefined) return { kind: 'string', end: endOfDollar(text, at, tagEnd) };
  }
  const wordEnd = matchEnd(word, text, at);
  if (wordEnd !== undefined) return { kind: 'word', end: wordEnd };
  const numberEnd = matchEnd(number, text, at);
  if (numberEnd !== undefined) return { kind: 'number', end: numberEnd };
  return { kind: 'symbol', end: matchEnd(symbol, text, at) ?? at + 1 };
}

/** A doubled quote stands for the quote itself. */
function endOfQuote(text: string, start: number, quote: string): number {
  let at = start + 1;
  for (;;) {
    const close = text.indexOf(quote, at);
    if (close < 0) return text.length;
    if (text.charAt(close + 1) !== quote) return close + 1;
    at = close + 2;
  }
}

function endOfDollar(text: string, start: number, bodyStart: number): number {
  const tag = text.slice(start, bodyStart);
  const close = text.indexOf(tag, bodyStart);
  return close < 0 ? text.length : close + tag.length;
}

function endOfComment(text: string, start: number): number {
  const close = text.indexOf('*/', start + 2);
  return close < 0 ? text.length : close + 2;
}

function matchEnd(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}
