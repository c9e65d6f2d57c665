import { lookupTable } from '../../../kernel/index.ts';
export interface CssProblem {
  readonly offset: number;
  readonly message: string;
}

const closing: Readonly<Record<string, string>> = lookupTable({ '(': ')', '[': ']', '{': '}' });

/** Comments, strings and unquoted addresses hold brackets that mean nothing; escapes hide one. */
const pieces =
  /\/\*[^]*?(?:\*\/|$)|"(?:[^"\\\n]|\\[^])*"?|'(?:[^'\\\n]|\\[^])*'?|url\(\s*(?!["'\s])[^)]*\)|\\[^]|[^\s]/gi;

/**
 * The first bracket of a style sheet without a partner, or block without a selector. PostCSS reads
 * over both, and what is then printed has lost something.
 */
export function findCssProblem(text: string): CssProblem | undefined {
  const open: { bracket: string; offset: number }[] = [];
  let previous = '';
  for (const match of text.matchAll(pieces)) {
    const [piece] = match;
    if (piece.startsWith('/*')) continue;
    if (isOpenString(piece)) return { offset: match.index, message: 'Unclosed string' };
    if (piece === '{' && ['', '}', '{', ';', ','].includes(previous)) {
      return { offset: match.index, message: 'Expected a selector before "{"' };
    }
    if (piece in closing) open.push({ bracket: piece, offset: match.index });
    else if (piece === ')' || piece === ']' || piece === '}') {
      const last = open.pop();
      if (!last) return { offset: match.index, message: `Unexpected ${piece}` };
      if (closing[last.bracket] !== piece) {
        return { offset: last.offset, message: `Unclosed ${last.bracket}` };
      }
    }
    previous = piece;
  }
  const [first] = open;
  return first && { offset: first.offset, message: `Unclosed ${first.bracket}` };
}

function isOpenString(piece: string): boolean {
  const quote = piece[0] ?? '';
  return (quote === '"' || quote === "'") && (piece.length === 1 || !piece.endsWith(quote));
}
