import { isPlaceholder } from '../secrets/judge-secret.ts';
import type { SourceFile } from '../source-files.ts';
import { TextPositions } from '../text-positions.ts';
import type { FileScan } from './scan-file-security.ts';
import {
  findingOf,
  readRules,
  type FileRule,
  type RuleGroup,
  type SecurityFinding,
  type TextMatch,
} from './security-rules.ts';

/** SQL of any dialect, by its statements; nothing has to parse. */
export function scanSql(file: SourceFile): FileScan {
  return { findings: matchText('sql', file, splitStatements(file.text)) };
}

/** Style sheets by patterns over the text without comments. */
export function scanCss(file: SourceFile): FileScan {
  const comments: [number, number][] = [];
  for (
    let at = file.text.indexOf('/*');
    at >= 0;
    at = file.text.indexOf('/*', comments.at(-1)?.[1])
  ) {
    const end = file.text.indexOf('*/', at + 2);
    comments.push([at, end < 0 ? file.text.length : end + 2]);
  }
  const text = blank(file.text, comments);
  return { findings: matchText('css', file, [{ start: 0, text, code: text }]) };
}

/** A part of a file that rules look at on its own, where it starts, and its text without the contents of literals. */
interface TextUnit {
  readonly start: number;
  readonly text: string;
  readonly code: string;
}

const maxMatches = 1_000;

/** Runs the text rules of a group over the units of a file. */
export function matchText(
  group: RuleGroup,
  file: SourceFile,
  units: readonly TextUnit[],
): SecurityFinding[] {
  const places = new TextPositions(file.text);
  const found: SecurityFinding[] = [];
  for (const rule of readRules(group).rules.values()) {
    const offsets = units.flatMap((unit) => offsetsIn(unit, rule, file));
    for (const offset of offsets) {
      found.push(findingOf(rule, { file: file.path, ...places.position(offset) }));
    }
  }
  return found;
}

/** Where a rule matches in a unit, by the first of its ways to match. */
function offsetsIn(unit: TextUnit, { find }: FileRule, { language }: SourceFile): number[] {
  for (const match of find) {
    if (match.languages && !match.languages.includes(language)) continue;
    const offsets = offsetsOf(match.in === 'text' ? unit.text : unit.code, match);
    if (offsets.length > 0) return offsets.map((offset) => unit.start + offset);
  }
  return [];
}

function offsetsOf(text: string, match: TextMatch): number[] {
  if (!match.find.test(text)) return [];
  if (match.without?.test(text) || !match.with.every((other) => other.test(text))) return [];
  const hits = text
    .matchAll(new RegExp(match.find, `${match.find.flags}g`))
    .filter(({ groups }) => !isPlaceholder(groups?.['secret'] ?? ''))
    .map(({ index }) => index);
  return [...hits.take(match.every ? maxMatches : 1)];
}

/** The text with some ranges turned to spaces; lines stay where they are. */
export function blank(text: string, ranges: readonly (readonly [number, number])[]): string {
  let result = '';
  let done = 0;
  for (const [start, end] of ranges.toSorted((a, b) => a[0] - b[0])) {
    if (end <= done) continue;
    const from = Math.max(start, done);
    result += text.slice(done, from) + text.slice(from, end).replaceAll(/[^\n]/g, ' ');
    done = end;
  }
  return result + text.slice(done);
}

const maxStatements = 200_000;

/**
 * Cuts a script at its semicolons and blanks its comments. Understands quotes, dollar quotes as
 * opaque boundaries only: the body of a function is read as statements too, which is where dynamic
 * SQL lives.
 */
function splitStatements(script: string): readonly TextUnit[] {
  const statements: TextUnit[] = [];
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
    const spaces = isComment || token[0] === "'" ? spacesFor(token) : token;
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

function spacesFor(token: string): string {
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
