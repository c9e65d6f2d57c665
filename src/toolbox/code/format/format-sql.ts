import type { FormatOptionsWithLanguage } from 'sql-formatter';
import { withPostgresParser } from '../engines/postgres-parser.ts';
import { syntaxError } from '../errors.ts';
import { hasSameSqlTokens } from './same-meaning.ts';
import { recogniseSql, type SqlDialect } from './sql-dialect.ts';
import { type FormatEngine, packageVersion } from './engine.ts';
import type { ScriptPart } from './sql-script.ts';

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
 * two. Then it is told the operators that PostgreSQL finds in the text.
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
