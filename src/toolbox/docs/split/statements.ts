/** A statement or member of a TypeScript declaration file, with the comments before it. */
export interface Statement {
  /** Where its comments begin, or it itself. */
  readonly start: number;
  /** Where its first word stands. */
  readonly code: number;
  readonly end: number;
  /** The inside of its last pair of braces, when it ends with one. */
  readonly body?: { readonly start: number; readonly end: number };
}

const closers = new Map([
  ['}', '{'],
  [')', '('],
  [']', '['],
]);

/** After a closing brace, these go on with the same statement: `foo(): { a: 1 }[] | string;` */
const continuing = new Set([';', ',', '|', '&', '[', '.', '=', ')', '>', '?', ':']);

/**
 * The statements of `text` from `from` to `to`, outermost level only. Reads each character once; does
 * not check that the text is valid.
 */
export function statementsIn(text: string, from: number, to: number): Statement[] {
  const found: Statement[] = [];
  let start = -1;
  let code = -1;
  let depth = 0;
  /** Open angle brackets; `<` as an operator does not occur in declarations. */
  let angles = 0;
  let body: { start: number; end: number } | undefined;
  let bodyStart = -1;
  const finish = (end: number): void => {
    if (code >= 0) found.push({ start, code, end, ...(body && { body }) });
    [start, code, body, angles] = [-1, -1, undefined, 0];
  };
  for (let at = from; at < to; at += 1) {
    const char = text[at] ?? '';
    const skipped = skipAt(text, at, to);
    if (skipped > at) {
      // A comment at the outermost level begins the next statement where the last one has ended.
      const isComment = char === '/';
      const isOutside = depth === 0 && angles === 0;
      if (isComment && isOutside && code >= 0 && isDocComment(text, at)) finish(at);
      if (start < 0) start = at;
      if (!isComment && code < 0) code = at;
      at = skipped - 1;
      continue;
    }
    if (/\s/.test(char)) continue;
    if (depth === 0 && code >= 0 && startsStatement(text, at)) finish(at);
    if (start < 0) start = at;
    if (code < 0) code = at;
    if (char === '<' || (char === '>' && text[at - 1] !== '=')) {
      angles = Math.max(0, angles + (char === '<' ? 1 : -1));
    } else if (char === '{' || char === '(' || char === '[') {
      if (depth === 0 && char === '{') bodyStart = at + 1;
      depth += 1;
    } else if (closers.has(char)) {
      depth = Math.max(0, depth - 1);
      if (depth > 0 || char !== '}') continue;
      body = { start: bodyStart, end: at };
      if (angles === 0 && !continuing.has(nextChar(text, at + 1, to))) finish(at + 1);
    } else if (depth === 0 && (char === ';' || (char === ',' && angles === 0))) {
      finish(at + 1);
    }
  }
  finish(to);
  return found;
}

/** The end of the comment or string that begins here, or `at` when none does. */
function skipAt(text: string, at: number, to: number): number {
  const char = text[at];
  if (char === '/' && text[at + 1] === '/') return endOf(text.indexOf('\n', at), 0, to);
  if (char === '/' && text[at + 1] === '*') return endOf(text.indexOf('*/', at + 2), 2, to);
  if (char !== '"' && char !== "'" && char !== '`') return at;
  for (let next = at + 1; next < to; next += 1) {
    if (text[next] === '\\') next += 1;
    else if (text[next] === char) return next + 1;
    else if (text[next] === '\n' && char !== '`') return next;
  }
  return to;
}

function endOf(found: number, length: number, to: number): number {
  return found < 0 ? to : Math.min(found + length, to);
}

function isDocComment(text: string, at: number): boolean {
  return text.startsWith('/**', at) && isLineStart(text, at);
}

/** Without semicolons, a new declaration is known by its first word at the beginning of a line. */
function startsStatement(text: string, at: number): boolean {
  return (
    (text.startsWith('export ', at) || text.startsWith('declare ', at)) && isLineStart(text, at)
  );
}

const maxIndent = 40;

function isLineStart(text: string, at: number): boolean {
  for (let before = at - 1; before >= 0 && at - before <= maxIndent; before -= 1) {
    if (text[before] === '\n') return true;
    if (text[before] !== ' ' && text[before] !== '\t') return false;
  }
  return at <= maxIndent;
}

const maxGap = 200;

function nextChar(text: string, from: number, to: number): string {
  for (let at = from; at < Math.min(to, from + maxGap); at += 1) {
    const char = text[at] ?? '';
    if (!/\s/.test(char)) return char;
  }
  return '';
}
