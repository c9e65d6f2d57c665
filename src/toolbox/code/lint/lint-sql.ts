import { counted } from '../../../kernel/index.ts';
import { CodeSyntaxError } from '../errors.ts';
import { recogniseSql } from '../format/sql-dialect.ts';
import type { SourceFile } from '../source-files.ts';
import { isWanted, type LintFinding, type LintSetup } from './lint-finding.ts';
import { sqlRules, type SqlProblem, type SqlRule } from './sql-rules.ts';
import { splitStatements, tokenizeSql, type SqlToken } from './sql-tokens.ts';
import { TextPositions } from '../text-positions.ts';

/** SQL by rules of ours over its tokens, after a parser of some dialect has accepted it. */
export async function lintSql(file: SourceFile, setup: LintSetup): Promise<LintFinding[]> {
  const verdict = await recogniseSql(file);
  if (verdict.kind === 'invalid') {
    throw new CodeSyntaxError({
      path: file.path,
      language: 'sql',
      ...verdict.place,
      message: verdict.message,
    });
  }
  const positions = new TextPositions(file.text);
  const tokens = tokenizeSql(file.text);
  const report = (
    rule: Pick<SqlRule, 'name' | 'severity' | 'area'>,
    problem: SqlProblem,
  ): LintFinding => ({
    severity: rule.severity,
    area: rule.area,
    rule: `sql/${rule.name}`,
    message: problem.message,
    file: file.path,
    ...positions.position(problem.at.start),
    ...(problem.edits ? { fix: 'refactor_code does this', safeFix: problem.edits } : {}),
  });
  const wanted = sqlRules.filter(({ name }) => isWanted(setup.guide, name));
  const findings = splitStatements(tokens).flatMap((statement) =>
    wanted.flatMap((rule) => rule.check(statement).map((problem) => report(rule, problem))),
  );
  const caseProblems = checkKeywordCase(tokens, setup.guide.keywordCase);
  return [...findings, ...caseProblems.map((problem) => report(keywordCaseRule, problem))];
}

const keywordCaseRule = { name: 'keyword-case', severity: 'info', area: 'style' } as const;

/** Words that no dialect lets be a bare column name, so that changing their case changes nothing else. */
const keywords: ReadonlySet<string> = new Set(
  (
    'SELECT FROM WHERE GROUP ORDER HAVING INSERT INTO UPDATE DELETE JOIN INNER OUTER LEFT RIGHT FULL CROSS ON AND ' +
    'OR NOT IN IS NULL LIKE BETWEEN UNION DISTINCT CREATE TABLE DROP ALTER CASE WHEN THEN ELSE AS BY EXISTS'
  ).split(' '),
);

/** One finding per statement: its words are put right together. */
function checkKeywordCase(
  tokens: readonly SqlToken[],
  wantedCase: 'upper' | 'lower' | undefined,
): readonly SqlProblem[] {
  const isKeyword = ({ kind, upper }: SqlToken): boolean => kind === 'word' && keywords.has(upper);
  const all = tokens.filter(isKeyword);
  const upperCount = all.filter(({ text, upper }) => text === upper).length;
  const wanted = wantedCase ?? (upperCount * 2 >= all.length ? 'upper' : 'lower');
  return splitStatements(tokens).flatMap((statement) => {
    const wrong = statement.filter(
      (token, at) =>
        isKeyword(token) && statement[at - 1]?.text !== '.' && token.text !== inCase(token, wanted),
    );
    const [at] = wrong;
    if (!at) return [];
    const edits = wrong.map((token) => ({
      start: token.start,
      end: token.end,
      text: inCase(token, wanted),
    }));
    return [{ at, message: `Write ${counted(wrong.length, 'keyword')} in ${wanted} case`, edits }];
  });
}

function inCase(token: SqlToken, wanted: 'upper' | 'lower'): string {
  return wanted === 'upper' ? token.upper : token.text.toLowerCase();
}
