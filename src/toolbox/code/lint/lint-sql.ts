import { pluralize } from '../../../kernel/index.ts';
import { syntaxError } from '../errors.ts';
import type { SourceFile } from '../source-files.ts';
import { TextPositions } from '../text-positions.ts';
import {
  findingOf,
  isWanted,
  readLintData,
  type LintFinding,
  type LintRule,
  type LintSetup,
  type TextEdit,
} from './lint-data.ts';
import { splitStatements, tokenizeSql, type SqlToken } from './sql-tokens.ts';
import { recogniseSql } from '../format/format-sql.ts';

interface SqlProblem {
  readonly at: SqlToken;
  readonly message: string;
  readonly edits?: readonly TextEdit[];
}

/** SQL by the patterns of its `lint.yaml`, after a parser of some dialect has accepted it. */
export async function lintSql(file: SourceFile, setup: LintSetup): Promise<LintFinding[]> {
  const verdict = await recogniseSql(file);
  if (verdict.kind === 'invalid') {
    throw syntaxError(file, verdict.place, verdict.message);
  }
  const positions = new TextPositions(file.text);
  const statements = splitStatements(tokenizeSql(file.text));
  const levels = statements.map(writeLevels);
  const wanted = readLintData('sql').rules.filter(({ name }) => isWanted(setup.guide, name));
  return wanted.flatMap((rule) => {
    const problems =
      rule.name === 'keyword-case'
        ? checkKeywordCase(statements, setup.guide.keywordCase)
        : levels.flatMap((ofStatement) => findPattern(rule, ofStatement));
    return problems.map(({ at, message, edits }) => {
      const fix = edits && 'refactor_code does this';
      return findingOf(rule, file, {
        ...positions.position(at.start),
        message,
        fix,
        safeFix: edits,
      });
    });
  });
}

/** The tokens directly inside one pair of parentheses, or of the statement itself, as patterns see them. */
interface Level {
  text: string;
  /** The token at each offset of the text where one starts. */
  readonly tokens: Map<number, SqlToken>;
  isInCondition: boolean;
}

function writeLevels(statement: readonly SqlToken[]): readonly Level[] {
  const top: Level = { text: '', tokens: new Map(), isInCondition: false };
  const levels = [top];
  const open = [top];
  for (const [index, token] of statement.entries()) {
    if (token.text === ')' && open.length > 1) open.pop();
    const level = open.at(-1) ?? top;
    const word = writeToken(token);
    if (/^(?:WHERE|ON)$/.test(word)) level.isInCondition = true;
    else if (/^(?:SELECT|GROUP|ORDER|SET|VALUES|FROM)$/.test(word)) level.isInCondition = false;
    level.tokens.set(level.text.length, token);
    const next = statement[index + 1];
    level.text += word === '(' && next && next.text !== ')' ? `(${writeToken(next)} ` : `${word} `;
    if (word !== '(') continue;
    const { isInCondition } = level;
    const inner: Level = { text: isInCondition ? 'WHERE ' : '', tokens: new Map(), isInCondition };
    levels.push(inner);
    open.push(inner);
  }
  return levels;
}

/** Names in quotes or with signs are no keywords; of a string only a wildcard at its start matters. */
function writeToken({ kind, upper, text }: SqlToken): string {
  if (kind === 'string') return /^'[%_]/.test(text) ? `'${text.charAt(1)}'` : "''";
  return kind === 'quoted' || (kind === 'word' && !/^\w+$/.test(upper)) ? '"' : upper;
}

function findPattern(rule: LintRule, levels: readonly Level[]): readonly SqlProblem[] {
  const [top] = levels;
  const whole = levels.map(({ text }) => text).join('');
  if (!top || (rule.statement !== undefined && !new RegExp(rule.statement).test(whole))) return [];
  const pattern = new RegExp(rule.pattern ?? '$', 'dg');
  return (rule.top ? [top] : levels).flatMap(({ text, tokens }) =>
    [...text.matchAll(pattern)].flatMap((match) => {
      const [start, end] = match.indices?.groups?.['at'] ?? [match.index, match.index];
      const at = tokens.get(start);
      if (!at) return [];
      const message = (rule.message ?? '').replace('{at}', text.slice(start, end));
      const edit = rule.replace && { start: at.start, end: at.end, text: rule.replace[1] };
      return [{ at, message, ...(edit ? { edits: [edit] } : {}) }];
    }),
  );
}

/** Words that no dialect lets be a bare column name, so that changing their case changes nothing else. */
const keywords: ReadonlySet<string> = new Set(
  (
    'SELECT FROM WHERE GROUP ORDER HAVING INSERT INTO UPDATE DELETE JOIN INNER OUTER LEFT RIGHT FULL CROSS ON AND ' +
    'OR NOT IN IS NULL LIKE BETWEEN UNION DISTINCT CREATE TABLE DROP ALTER CASE WHEN THEN ELSE AS BY EXISTS'
  ).split(' '),
);

/** One finding per statement: its words are put right together. */
function checkKeywordCase(
  statements: readonly (readonly SqlToken[])[],
  wantedCase: 'upper' | 'lower' | undefined,
): readonly SqlProblem[] {
  const isKeyword = ({ kind, upper }: SqlToken): boolean => kind === 'word' && keywords.has(upper);
  const all = statements.flat().filter(isKeyword);
  const upperCount = all.filter(({ text, upper }) => text === upper).length;
  const wanted = wantedCase ?? (upperCount * 2 >= all.length ? 'upper' : 'lower');
  const inCase = ({ upper, text }: SqlToken): string =>
    wanted === 'upper' ? upper : text.toLowerCase();
  return statements.flatMap((statement) => {
    const wrong = statement.filter(
      (token, at) =>
        isKeyword(token) && statement[at - 1]?.text !== '.' && token.text !== inCase(token),
    );
    const [at] = wrong;
    if (!at) return [];
    const edits = wrong.map((token) => ({
      start: token.start,
      end: token.end,
      text: inCase(token),
    }));
    return [
      { at, message: `Write ${pluralize(wrong.length, 'keyword')} in ${wanted} case`, edits },
    ];
  });
}
