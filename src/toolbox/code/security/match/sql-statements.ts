/** One statement of a script. In `code` the contents of literals are blank, in `text` they are there. */
export interface SqlStatement {
  readonly start: number;
  readonly text: string;
  readonly code: string;
}

const maxStatements = 200_000;

/**
 * Cuts a script at its semicolons and blanks its comments. Understands quotes, dollar quotes as
 * opaque boundaries only: the body of a function is read as statements too, which is where dynamic
 * SQL lives.
 */
export function splitStatements(script: string): readonly SqlStatement[] {
  const statements: SqlStatement[] = [];
  let start = 0;
  let text = '';
  let code = '';
  const finish = (next: number): void => {
    if (code.trim() !== '') statements.push({ start, text, code });
    start = next;
    text = '';
    code = '';
  };
  for (let at = 0; at < script.length && statements.length < maxStatements;) {
    const end = endOfToken(script, at);
    const token = script.slice(at, end);
    const isComment = token.startsWith('--') || token.startsWith('/*');
    const isLiteral = !isComment && (token[0] === "'" || token[0] === '"' || token[0] === '`');
    const spaces = isComment || token[0] === "'" ? blank(token) : token;
    if (token === ';') finish(end);
    else {
      text += isComment ? spaces : token;
      code += isLiteral && token[0] === "'" ? `'${spaces.slice(2)}'` : spaces;
    }
    at = end;
  }
  finish(script.length);
  return statements;
}

function blank(token: string): string {
  return token.replaceAll(/[^\n]/g, ' ');
}

function endOfToken(script: string, at: number): number {
  const character = script[at] ?? '';
  if (script.startsWith('--', at)) return orEnd(script, script.indexOf('\n', at));
  if (script.startsWith('/*', at)) return orEnd(script, script.indexOf('*/', at + 2), 2);
  if (character === "'" || character === '"' || character === '`') {
    return orEnd(script, script.indexOf(character, at + 1), 1);
  }
  if (character === ';') return at + 1;
  plain.lastIndex = at + 1;
  return plain.exec(script)?.index ?? script.length;
}

const plain = /[-/'"`;]/g;

function orEnd(script: string, found: number, length = 0): number {
  return found < 0 ? script.length : found + length;
}
