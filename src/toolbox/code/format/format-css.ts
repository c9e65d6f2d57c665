import { syntaxError } from '../errors.ts';
import type { SourceFile } from '../source-files.ts';
import { ownPlugins, prettierVersion, runPrettier } from './prettier.ts';
import { placeOfOffset } from './text-place.ts';
import { lookupTable } from '../../../kernel/index.ts';
import type { FormatEngine } from './engine.ts';

/** CSS by Prettier, after a look at brackets and statements: its parser forgives what is none. */
export const formatCss: FormatEngine = async ({ file, lineLength }) => {
  assertCssStatements(file);
  const text = await runPrettier(file, {
    parser: 'css',
    plugins: await ownPlugins(['postcss']),
    printWidth: lineLength,
  });
  return { text, engine: `prettier ${prettierVersion()}`, guard: 'css' };
};

export function assertCssStatements(file: SourceFile): void {
  const problem = findCssProblem(file.text) ?? findCssStatementProblem(file.text);
  if (problem) throw syntaxError(file, placeOfOffset(file.text, problem.offset), problem.message);
}

/** Comments, strings, unquoted addresses and escapes: what is in them is no syntax. */
const opaque =
  /\/\*[^]*?\*\/|"(?:[^"\\\n]|\\[^])*"|'(?:[^'\\\n]|\\[^])*'|url\(\s*(?!["'\s])[^)]*\)|\\[^]/gi;

interface Statement {
  readonly text: string;
  readonly start: number;
  /** What ends it: `{`, `}`, `;`, or nothing at the end of the text. */
  readonly end: string;
  readonly isInBlock: boolean;
}

type Rule = readonly [pattern: RegExp, message: string];

/** Each pattern's match is the place of the mistake. In the text are no comments, strings or brackets. */
const selectorRules: readonly Rule[] = [
  [/^\s*,|,(?=\s*(?:,|$))/, 'Expected a selector beside ","'],
  [/[.#](?![\w\\-]|[^\0-\x7f])/, 'Expected a name'],
  [/:(?![:\w\\-]|[^\0-\x7f])/, 'Expected the name of a pseudo-class'],
  [/[>+~](?=\s*(?:,|$))/, 'Expected a selector behind the combinator'],
  [/(?<![^\s,>+~])\d+(?![\d.%])[a-z]/i, 'A name cannot start with a digit'],
];

const emptyAttribute = /\[[^[\]=]*=(?=\s*\])/;
const atRuleWithBlock = /^@(?:media|supports|font-face|(?:-\w+-)?keyframes|page)\b/i;
const atRuleWithAddress = /^@(?:import|charset|namespace)\s*$/i;

/** The first selector that is none, or declaration without a property or a value. Brackets are paired. */
function findCssStatementProblem(text: string): CssProblem | undefined {
  const plain = text.replace(opaque, (piece) =>
    (piece.startsWith('/*') ? ' ' : 'x').repeat(piece.length),
  );
  for (const statement of statementsOf(plain)) {
    const problem = statement.end === '{' ? checkPrelude(statement) : checkDeclaration(statement);
    if (problem) return { ...problem, offset: problem.offset + statement.start };
  }
  return undefined;
}

/** Custom properties may hold anything, blocks too: what is in those is passed over. */
function* statementsOf(text: string): Generator<Statement> {
  let start = 0;
  let blocks = 0;
  let rawBlocks = 0;
  let inner = 0;
  for (const { 0: sign, index } of text.matchAll(/[()[\]{};]/g)) {
    if (sign === '(' || sign === '[') inner += 1;
    else if (sign === ')' || sign === ']') inner -= 1;
    else if (inner === 0) {
      const statement = { text: text.slice(start, index), start, end: sign, isInBlock: blocks > 0 };
      const isRaw = rawBlocks > 0 || (sign === '{' && /^\s*--[\w-]*\s*:/.test(statement.text));
      if (!isRaw) yield statement;
      if (isRaw && sign !== ';') rawBlocks += sign === '{' ? 1 : -1;
      else if (sign !== ';') blocks += sign === '{' ? 1 : -1;
      start = index + 1;
    }
  }
  yield { text: text.slice(start), start, end: '', isInBlock: false };
}

function checkPrelude({ text }: Statement): CssProblem | undefined {
  if (text.trimStart().startsWith('@')) return undefined;
  const attribute = emptyAttribute.exec(text);
  if (attribute) {
    return { offset: attribute.index + attribute[0].length, message: 'Expected a value' };
  }
  const outside = text.replace(/\[[^\]]*\]/g, fill).replace(/\([^)]*\)*/g, fill);
  for (const [pattern, message] of selectorRules) {
    const match = pattern.exec(outside);
    if (match) return { offset: match.index, message };
  }
  return undefined;
}

/** Letters of the same length, so that offsets stay. */
function fill(piece: string): string {
  return 'x'.repeat(piece.length);
}

function checkDeclaration({ text, end, isInBlock }: Statement): CssProblem | undefined {
  const said = text.trim();
  const offset = text.length - text.trimStart().length;
  if (said.startsWith('@')) {
    if (atRuleWithAddress.test(said)) {
      return { offset: offset + said.length, message: `Expected more behind ${said}` };
    }
    return atRuleWithBlock.test(said)
      ? {
          offset: offset + said.length,
          message: `Expected a block behind "${said.split(/\s/, 1).join('')}"`,
        }
      : undefined;
  }
  const colon = text.indexOf(':');
  if (!isInBlock || colon < 0 || said.startsWith('--') || end === '') return undefined;
  if (colon === offset) return { offset, message: 'Expected a property before ":"' };
  const value = text.slice(colon + 1).trim();
  if (value === '') return { offset: colon + 1, message: 'Expected a value behind ":"' };
  return value.endsWith('!')
    ? { offset: text.lastIndexOf('!'), message: 'Expected "important" behind "!"' }
    : undefined;
}

interface CssProblem {
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
function findCssProblem(text: string): CssProblem | undefined {
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
