import { createRequire } from 'node:module';
import { dirname, sep } from 'node:path';
import type { FormatOptionsWithLanguage, SqlLanguage } from 'sql-formatter';
import { z } from 'zod';
import { syntaxError } from '../errors.ts';
import type { SourceFile } from '../source-files.ts';
import { type FormatEngine, packageVersion } from './engine.ts';
import { hasSameSqlTokens } from './same-meaning.ts';
import { hidePlaceholders, type ScriptPart, splitScript } from './sql-script.ts';
import {
  placeOfCodePoint,
  placeOfLineAndCodePoint,
  placeOfOffset,
  type TextPlace,
} from '../text-positions.ts';

/** SQL by sql-formatter in the dialect whose parser accepts the text; words keep their case. */
export const formatSql: FormatEngine = async ({ file, lineLength }) => {
  const verdict = await recogniseSql(file);
  if (verdict.kind === 'invalid') throw syntaxError(file, verdict.place, verdict.message);
  const { dialect, parts, restore = (text: string): string => text } = verdict;
  const pieces: string[] = [];
  for (const [index, part] of parts.entries()) {
    if (part.kind === 'command') pieces.push(part.text);
    else {
      const sql = await formatUntilStable(part.text, dialect, lineLength);
      pieces.push(withGaps(part, sql, { index, isLast: index === parts.length - 1 }));
    }
  }
  const engine = `sql-formatter ${packageVersion('sql-formatter')} (${dialect.name})`;
  return { text: restore(`${pieces.join('\n').trimEnd()}\n`), engine };
};

/** An empty line beside a client command is kept. */
function withGaps(part: ScriptPart, sql: string, at: { index: number; isLast: boolean }): string {
  if (sql === '') return '';
  const before = at.index > 0 && /^\s*\n/.test(part.text) ? '\n' : '';
  const after = !at.isLast && /\n\s*$/.test(part.text) ? '\n' : '';
  return `${before}${sql}${after}`;
}

/** The formatter moves such a comment to a new line, and breaks the line behind it when it sees it there. */
const commentBehindStatement = /;[^\S\n]*\/\*/;

async function formatUntilStable(
  sql: string,
  dialect: SqlDialect,
  lineLength: number,
): Promise<string> {
  const once = await formatPart(sql, dialect, lineLength);
  return commentBehindStatement.test(sql) ? formatPart(once, dialect, lineLength) : once;
}

/**
 * Formats SQL and looks at the result: the formatter takes an operator it does not know (`%#`) for
 * two. Then it is given the operators that PostgreSQL finds in the text.
 */
async function formatPart(sql: string, dialect: SqlDialect, lineLength: number): Promise<string> {
  const { format, formatDialect, postgresql } = await import('sql-formatter');
  const style = { expressionWidth: lineLength, keywordCase: 'preserve' } as const;
  const plain = tryFormat(() => format(sql, { language: dialect.formatterLanguage, ...style }));
  if (plain !== undefined && (await isSame(sql, plain, dialect))) return plain;
  if (dialect.name === 'postgresql') {
    const { tokenizerOptions, formatOptions, name } = postgresql;
    const operators = [...(tokenizerOptions.operators ?? []), ...(await operatorsIn(sql))];
    const told = { name, formatOptions, tokenizerOptions: { ...tokenizerOptions, operators } };
    const options = { dialect: told, ...style } satisfies Options;
    const text = tryFormat(() => formatDialect(sql, options));
    if (text !== undefined && (await dialect.readsTheSame(sql, text))) return text;
  }
  if (plain === undefined) throw new Error('sql-formatter does not know some construct in it');
  throw new Error('the result of sql-formatter would not mean the same');
}

/** Equal tokens are proof enough and cost little; only where they differ is the parser asked. */
async function isSame(before: string, after: string, dialect: SqlDialect): Promise<boolean> {
  return hasSameSqlTokens(before, after) || dialect.readsTheSame(before, after);
}

type Options = Omit<FormatOptionsWithLanguage, 'language'> & { dialect: object };

function tryFormat(format: () => string): string | undefined {
  try {
    return format();
  } catch (error) {
    if (error instanceof RangeError) throw error;
    return undefined;
  }
}

async function operatorsIn(sql: string): Promise<Set<string>> {
  const { tokens } = await withPostgresParser((parser) => parser.scan(sql));
  return new Set(
    tokens.map(({ text }) => text).filter((text) => /^[-+*/<>=~!@#%^&|`?]+$/.test(text)),
  );
}

/** A dialect of SQL as its parser calls it, and as sql-formatter does. */
interface SqlDialect {
  readonly name: string;
  readonly formatterLanguage: SqlLanguage;
  /** Whether its parser reads the same in both texts, as far as it can tell; the first is valid. */
  readonly readsTheSame: (before: string, after: string) => Promise<boolean>;
}

type SqlVerdict =
  | {
      readonly kind: 'valid';
      readonly dialect: SqlDialect;
      readonly parts: readonly ScriptPart[];
      /** Puts placeholders back that are names in `parts`. */
      readonly restore?: (formatted: string) => string;
    }
  | { readonly kind: 'invalid'; readonly place: TextPlace; readonly message: string };

const askedParsers =
  'no parser of PostgreSQL, MySQL, SQL Server, SQLite or Oracle accepts the text';

interface Rejection {
  readonly place: TextPlace;
  readonly message: string;
}

interface DialectParser extends SqlDialect {
  /** Why the text is not in this dialect, if it is not. */
  readonly reject: (text: string) => Promise<Rejection | undefined>;
}

/** In the order in which they are asked. The first is PostgreSQL's own parser. */
const dialects: readonly DialectParser[] = [
  {
    name: 'postgresql',
    formatterLanguage: 'postgresql',
    reject: rejectByPostgresql,
    readsTheSame: async (before, after) => (await treeOf(before)) === (await treeOf(after)),
  },
  byParser('mysql', 'mysql'),
  byParser('mssql', 'transactsql'),
  byParser('sqlite', 'sqlite'),
  byParser('oracle', 'plsql'),
];

/**
 * Which SQL a text is: the first dialect whose parser accepts all of it, client commands set aside
 * and placeholders for values that drivers fill in taken for names. When none does, the parser that came down to the lowest line says what is wrong.
 */
export async function recogniseSql({ text }: Pick<SourceFile, 'text'>): Promise<SqlVerdict> {
  const named = await recogniseHidden(text, false);
  if (named) return named;
  const verdict = await recogniseScript(text);
  const isPostgresql = verdict.kind === 'valid' && verdict.dialect.name === 'postgresql';
  return (isPostgresql ? await recogniseHidden(text, true) : undefined) ?? verdict;
}

async function recogniseHidden(text: string, withAt: boolean): Promise<SqlVerdict | undefined> {
  const hidden = hidePlaceholders(text, withAt);
  if (!hidden) return undefined;
  const verdict = await recogniseScript(hidden.text);
  return verdict.kind === 'valid' ? { ...verdict, restore: hidden.restore } : undefined;
}

/** Some parsers know the data of `COPY`, though no formatter does. */
const endOfCopyData = /^\\\.$/m;

async function recogniseScript(text: string): Promise<SqlVerdict> {
  const whole: ScriptPart = { kind: 'sql', text, linesBefore: 0 };
  const verdict = await findDialect([whole]);
  if (verdict.kind === 'valid' && !endOfCopyData.test(text)) return verdict;
  const parts = splitScript(text);
  if (!parts.some((part) => part.kind === 'command')) return verdict;
  const splitVerdict = await findDialect(parts);
  return verdict.kind === 'valid' && splitVerdict.kind === 'invalid' ? verdict : splitVerdict;
}

async function findDialect(parts: readonly ScriptPart[]): Promise<SqlVerdict> {
  let furthest: Rejection | undefined;
  for (const dialect of dialects) {
    const rejection = await rejectParts(parts, dialect);
    if (!rejection) return { kind: 'valid', dialect, parts };
    if (!furthest || furthest.place.line < rejection.place.line) furthest = rejection;
  }
  const { place, message } = furthest ?? { place: { line: 1, column: 1 }, message: 'not SQL' };
  return { kind: 'invalid', place, message: `${message} (${askedParsers})` };
}

async function rejectParts(
  parts: readonly ScriptPart[],
  dialect: DialectParser,
): Promise<Rejection | undefined> {
  for (const part of parts) {
    const rejection = part.kind === 'sql' ? await dialect.reject(part.text) : undefined;
    if (rejection) {
      const { line, column } = rejection.place;
      return { ...rejection, place: { line: line + part.linesBefore, column } };
    }
  }
  return undefined;
}

const sqlErrorSchema = z.object({
  message: z.string(),
  sqlDetails: z.object({ cursorPosition: z.number() }),
});

async function rejectByPostgresql(text: string): Promise<Rejection | undefined> {
  // An empty text is valid, but this binding refuses it.
  if (text.trim() === '') return undefined;
  try {
    await withPostgresParser((parser) => parser.parse(text));
    return undefined;
  } catch (error) {
    const { success, data } = sqlErrorSchema.safeParse(error);
    if (!success || data.message.includes('memory exhausted')) throw error;
    return {
      place: placeOfCodePoint(text, data.sqlDetails.cursorPosition),
      message: data.message,
    };
  }
}

/** PostgreSQL's tree of a text as one string, without the places of its parts. */
async function treeOf(text: string): Promise<string> {
  if (text.trim() === '') return '';
  const withoutPlaces = (key: string, value: unknown): unknown =>
    key === 'stmt_len' || key.endsWith('location') || key.startsWith('rexpr_list_')
      ? undefined
      : value;
  return withPostgresParser((parser) => parser.parse(text)).then(
    (tree) => JSON.stringify(tree, withoutPlaces),
    (error: unknown) => `invalid: ${String(error)}`,
  );
}

function byParser(
  name: 'mysql' | 'mssql' | 'sqlite' | 'oracle',
  formatterLanguage: SqlLanguage,
): DialectParser {
  const reject = async (text: string): Promise<Rejection | undefined> => {
    const parser = await import('@guanmingchiu/sqlparser-ts');
    await parser.init();
    try {
      parser.validate(text, name);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (/call stack|recursion limit/.test(message)) throw error;
      return readRejection(text, message);
    }
    const mistake = findSqlMistake(text);
    return mistake && { place: placeOfOffset(text, mistake.offset), message: mistake.message };
  };
  const readsTheSame = async (before: string, after: string): Promise<boolean> => {
    const { format, validate } = await import('@guanmingchiu/sqlparser-ts');
    try {
      validate(after, name);
    } catch {
      return false;
    }
    return format(before, name) === format(after, name);
  };
  return { name, formatterLanguage, reject, readsTheSame };
}

function readRejection(text: string, message: string): Rejection {
  const [, reason = message] = /^sql parser error: (.*)/s.exec(message) ?? [];
  const at = /^(.*?) at Line: (\d+), Column: (\d+)/s.exec(reason);
  // Without a place it is the end of the text that surprised the parser.
  if (!at) return { place: placeOfOffset(text, text.trimEnd().length), message: reason };
  const place = placeOfLineAndCodePoint(text, Number(at[2]), Number(at[3]));
  return { place, message: at[1] ?? reason };
}

const opaque = /'[^']*'|"[^"]*"|`[^`]*`|--[^\n]*|\/\*[^]*?(?:\*\/|$)/g;

/** What the parsers beside PostgreSQL's take for names though no dialect does. */
const mistakes: readonly (readonly [pattern: RegExp, message: string])[] = [
  [/\b(?:where|having|not|and|or)(?=\s*(?:;|$))/i, 'Expected a condition'],
  [
    /\binsert\s{1,100}(?!into\b|ignore\b|all\b|first\b|delayed\b|low_priority\b|high_priority\b|overwrite\b)\w{1,200}\s{1,100}into\b/i,
    'Expected INTO behind INSERT',
  ],
];

interface SqlMistake {
  readonly offset: number;
  readonly message: string;
}

/** The first mistake that lax parsers overlook. */
function findSqlMistake(text: string): SqlMistake | undefined {
  const plain = text.replace(opaque, (piece) =>
    (/^[-/]/.test(piece) ? ' ' : 'x').repeat(piece.length),
  );
  for (const [pattern, message] of mistakes) {
    const match = pattern.exec(plain);
    if (match) return { offset: match.index, message };
  }
  return undefined;
}

type PostgresParser = typeof import('libpg-query');

/**
 * Runs `work` with PostgreSQL's own parser, compiled to WASM. A parser that ran out of stack is
 * forgotten, because it breaks after some of that: `require` can load it anew, `import` cannot.
 */
async function withPostgresParser<Result>(
  work: (parser: PostgresParser) => Promise<Result>,
): Promise<Result> {
  const load = createRequire(import.meta.url);
  try {
    // What `require` returns is the module of that name.
    return await work(load('libpg-query') as PostgresParser);
  } catch (error) {
    if (!(error instanceof Error && 'sqlDetails' in error)) forget(load);
    throw error;
  }
}

function forget(load: NodeJS.Require): void {
  const folder = dirname(load.resolve('libpg-query')) + sep;
  for (const path of Object.keys(load.cache)) {
    if (path.startsWith(folder)) delete load.cache[path];
  }
}
