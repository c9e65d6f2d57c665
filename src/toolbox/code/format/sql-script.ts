/** A stretch of a script: SQL, or lines for the client program that no SQL parser knows. */
export interface ScriptPart {
  readonly kind: 'sql' | 'command';
  readonly text: string;
  /** Lines before it in the script. */
  readonly linesBefore: number;
}

/**
 * psql's backslash commands, the separator of SQL Server's tools, and one-line statements whose syntax
 * none of the parsers has: settings of SQLite, and MySQL's users with a host.
 */
const commandLine =
  /^(?:\\[a-z!?.].*|go(?:[ \t]+\d+)?[ \t]*;?[ \t]*|pragma[ \t]+\w[^;]*;?[ \t]*|(?:create|alter|drop|grant|revoke|rename)[ \t][^;]*'@'[^;]*;?[ \t]*)$/i;

/** Splits a script at its client commands; the data after `COPY … FROM stdin` belongs to them. */
export function splitScript(text: string): readonly ScriptPart[] {
  const parts: ScriptPart[] = [];
  let lines: string[] = [];
  let start = 0;
  let kind: ScriptPart['kind'] = 'sql';
  const finish = (nextStart: number, nextKind: ScriptPart['kind']): void => {
    if (lines.length > 0) parts.push({ kind, text: lines.join('\n'), linesBefore: start });
    lines = [];
    start = nextStart;
    kind = nextKind;
  };
  const copyData = findCopyData(text).values();
  let data = copyData.next().value;
  let offset = 0;
  for (const [index, line] of text.split('\n').entries()) {
    while (data && data.end <= offset) data = copyData.next().value;
    const isData = data !== undefined && data.start <= offset;
    const lineKind = isData || commandLine.test(line) ? 'command' : 'sql';
    if (lineKind !== kind) finish(index, lineKind);
    lines.push(line);
    offset += line.length + 1;
  }
  finish(0, 'sql');
  return parts;
}

/** Whole lines of a text. */
interface LineRange {
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

/** A text in which placeholders are names that every SQL parser takes, as long as they were. */
interface HiddenPlaceholders {
  readonly text: string;
  /** Puts them back into a text that has the same names in the same order. */
  readonly restore: (formatted: string) => string;
}

/** A letter to all parsers, and in no SQL that people write. */
const mark = 'ꙮ';

const opaque = /'[^']*'|"[^"]*"|`[^`]*`|--[^\n]*|\/\*[^]*?(?:\*\/|$)/.source;
const before = /(?<=[\s(,=<>+*/|-])/.source;
/**
 * `%` is an operator too; behind these it can only start a placeholder. The space is looked at from
 * a `%` only, not from every place in it, so that a lot of space takes no more than linear time.
 */
const beforePercent =
  /(?=%)(?<=[(,=<>]\s*|\b(?:in|values|limit|offset|like|ilike|and|or|where|between|then|else|select|set|is)\s+)/
    .source;
const named = `${before}:[a-z_]\\w*|${beforePercent}%(?:\\(\\w{1,100}\\))?s\\b`;

const namedOnly = new RegExp(`${opaque}|(${named})`, 'gi');
const namedAndAt = new RegExp(`${opaque}|(${named}|${before}@[a-z_]\\w*)`, 'gi');

/**
 * Hides `:name`, `%s` and `%(name)s`, which drivers replace before a server sees them; `@name` too if
 * asked to, for PostgreSQL's parser takes its `@` for an operator. `undefined` when there are none.
 */
export function hidePlaceholders(text: string, withAt: boolean): HiddenPlaceholders | undefined {
  if (text.includes(mark)) return undefined;
  const hidden: string[] = [];
  const replaced = text.replace(withAt ? namedAndAt : namedOnly, (piece, placeholder?: string) => {
    if (placeholder === undefined) return piece;
    hidden.push(placeholder);
    return `${mark}${placeholder.slice(1).replace(/\W/g, mark)}`;
  });
  if (hidden.length === 0) return undefined;
  const restore = (formatted: string): string => {
    let next = 0;
    return formatted.replace(new RegExp(`${mark}[\\w${mark}]*`, 'g'), () => hidden[next++] ?? mark);
  };
  return { text: replaced, restore };
}
