import type { RuleEntry, TextEdit } from './lint-finding.ts';
import type { SqlToken } from './sql-tokens.ts';

export interface SqlProblem {
  readonly at: SqlToken;
  readonly message: string;
  readonly edits?: readonly TextEdit[];
}

/** A rule over the tokens of one statement. */
export interface SqlRule extends RuleEntry {
  readonly name: string;
  readonly check: (statement: readonly SqlToken[]) => readonly SqlProblem[];
}

const clauseStarts: ReadonlySet<string> = new Set(
  'WHERE GROUP ORDER HAVING LIMIT OFFSET FETCH UNION INTERSECT EXCEPT RETURNING WINDOW QUALIFY FOR'.split(
    ' ',
  ),
);
const comparisons: ReadonlySet<string> = new Set(['=', '<>', '!=', '<', '>', '<=', '>=']);
const hiddenColumnFunctions: ReadonlySet<string> = new Set(
  (
    'UPPER LOWER TRIM LTRIM RTRIM SUBSTR SUBSTRING LEFT RIGHT DATE YEAR MONTH DAY TO_CHAR TO_DATE CAST CONVERT ' +
    'COALESCE IFNULL ISNULL NVL DATE_TRUNC DATE_FORMAT EXTRACT STRFTIME ABS ROUND CONCAT LENGTH'
  ).split(' '),
);

/** The SQL rules of ours, in any dialect. */
export const sqlRules: readonly SqlRule[] = [
  {
    name: 'select-star',
    severity: 'minor',
    area: 'performance',
    check: (tokens) =>
      filterAt(tokens, (token, at) => {
        if (token.text !== '*') return false;
        const before = tokens[at - 1]?.upper ?? '';
        const isAfterSelect = /^(?:SELECT|DISTINCT|ALL)$/.test(before);
        const isQualified = before === '.' && tokens[at - 3]?.depth === token.depth;
        return (
          isAfterSelect ||
          (isQualified && /^(?:SELECT|DISTINCT|,)$/.test(tokens[at - 3]?.upper ?? ''))
        );
      }).map((at) => ({ at, message: 'Name the columns instead of *' })),
  },
  {
    name: 'implicit-join',
    severity: 'minor',
    area: 'maintainability',
    check: (tokens) =>
      froms(tokens).flatMap(({ from, items }) => {
        const comma = items.find((token) => token.text === ',' && token.depth === from.depth);
        return comma &&
          !/^(?:UNNEST|LATERAL|JSON_TABLE|GENERATE_SERIES)$/.test(
            tokens[tokens.indexOf(comma) + 1]?.upper ?? '',
          )
          ? [{ at: comma, message: 'Write the join with JOIN … ON instead of a comma' }]
          : [];
      }),
  },
  {
    name: 'update-without-where',
    severity: 'critical',
    area: 'correctness',
    check: (tokens) =>
      missingWhere(tokens, 'UPDATE', 'Every row is updated: the statement has no WHERE'),
  },
  {
    name: 'delete-without-where',
    severity: 'critical',
    area: 'correctness',
    check: (tokens) =>
      missingWhere(tokens, 'DELETE', 'Every row is deleted: the statement has no WHERE'),
  },
  {
    name: 'not-in-subquery',
    severity: 'major',
    area: 'correctness',
    check: (tokens) =>
      findSequence(tokens, ['NOT', 'IN', '(', 'SELECT']).map((at) => ({
        at,
        message: 'NOT IN is never true once the subquery returns a NULL; use NOT EXISTS',
      })),
  },
  {
    name: 'null-comparison',
    severity: 'major',
    area: 'correctness',
    check: (tokens) =>
      isAssignmentStatement(tokens)
        ? []
        : filterAt(
            tokens,
            (token, at) => /^(?:=|<>|!=)$/.test(token.text) && tokens[at + 1]?.upper === 'NULL',
          ).map((at) => ({
            at,
            message: 'A comparison with NULL is never true; use IS NULL or IS NOT NULL',
          })),
  },
  {
    name: 'join-without-condition',
    severity: 'major',
    area: 'correctness',
    check: checkJoins,
  },
  {
    name: 'leading-wildcard',
    severity: 'minor',
    area: 'performance',
    check: (tokens) =>
      filterAt(
        tokens,
        (token, at) => /^I?LIKE$/.test(token.upper) && /^'[%_]/.test(tokens[at + 1]?.text ?? ''),
      ).map((at) => ({ at, message: 'A pattern that starts with a wildcard cannot use an index' })),
  },
  {
    name: 'function-on-column',
    severity: 'info',
    area: 'performance',
    check: checkFunctionOnColumn,
  },
  {
    name: 'order-by-ordinal',
    severity: 'minor',
    area: 'maintainability',
    check: (tokens) =>
      filterAt(tokens, (token, at) => token.kind === 'number' && isInOrderList(tokens, at)).map(
        (at) => ({
          at,
          message: 'Order and group by a name: a number means another column when the list changes',
        }),
      ),
  },
  {
    name: 'union-without-all',
    severity: 'info',
    area: 'performance',
    check: (tokens) =>
      filterAt(
        tokens,
        (token, at) =>
          token.upper === 'UNION' && !/^(?:ALL|DISTINCT)$/.test(tokens[at + 1]?.upper ?? ''),
      ).map((at) => ({
        at,
        message: 'UNION removes duplicates; say ALL or DISTINCT to show that it is meant',
      })),
  },
  {
    name: 'insert-without-columns',
    severity: 'minor',
    area: 'maintainability',
    check: (tokens) => {
      const [insert] = findSequence(tokens.slice(0, 3), ['INSERT', 'INTO']);
      const values = tokens.findIndex(
        ({ upper, depth }) => depth === 0 && /^(?:VALUES|SELECT)$/.test(upper),
      );
      const hasColumns = tokens.slice(0, Math.max(0, values)).some(({ text }) => text === '(');
      return insert && values > 0 && !hasColumns
        ? [{ at: insert, message: 'Name the columns: the values move when the table changes' }]
        : [];
    },
  },
  {
    name: 'natural-join',
    severity: 'minor',
    area: 'maintainability',
    check: (tokens) =>
      findSequence(tokens, ['NATURAL']).map((at) => ({
        at,
        message: 'NATURAL JOIN changes its meaning when a column is added; name the columns',
      })),
  },
  {
    name: 'limit-without-order',
    severity: 'minor',
    area: 'correctness',
    check: (tokens) => {
      const limit = tokens.find(({ upper, depth }) => upper === 'LIMIT' && depth === 0);
      const isQuery = /^(?:SELECT|WITH)$/.test(tokens[0]?.upper ?? '');
      const hasOrder = tokens.some(({ upper, depth }) => upper === 'ORDER' && depth === 0);
      return limit && isQuery && !hasOrder
        ? [{ at: limit, message: 'LIMIT without ORDER BY returns any rows' }]
        : [];
    },
  },
  {
    name: 'having-without-group',
    severity: 'minor',
    area: 'correctness',
    check: (tokens) =>
      filterAt(
        tokens,
        (token, at) =>
          token.upper === 'HAVING' &&
          !tokens
            .slice(0, at)
            .some(({ upper, depth }) => upper === 'GROUP' && depth === token.depth),
      ).map((at) => ({ at, message: 'HAVING without GROUP BY; use WHERE' })),
  },
  {
    name: 'table-without-key',
    severity: 'minor',
    area: 'standards',
    check: checkPrimaryKey,
  },
  {
    name: 'drop-without-if-exists',
    severity: 'info',
    area: 'maintainability',
    check: (tokens) =>
      tokens[0]?.upper === 'DROP' &&
      /^(?:TABLE|VIEW|INDEX)$/.test(tokens[1]?.upper ?? '') &&
      tokens[2]?.upper !== 'IF'
        ? [{ at: tokens[0], message: 'The script cannot be run twice; say IF EXISTS' }]
        : [],
  },
  {
    name: 'count-for-existence',
    severity: 'info',
    area: 'performance',
    check: (tokens) =>
      findSequence(tokens, ['COUNT', '(', '*', ')', '>', '0']).map((at) => ({
        at,
        message: 'EXISTS stops at the first row; COUNT(*) reads them all',
      })),
  },
  {
    name: 'not-equal-operator',
    severity: 'info',
    area: 'style',
    check: (tokens) =>
      filterAt(tokens, ({ text }) => text === '!=').map((at) => ({
        at,
        message: 'The standard writes <> for not equal',
        edits: [{ start: at.start, end: at.end, text: '<>' }],
      })),
  },
];

function filterAt(
  tokens: readonly SqlToken[],
  isWanted: (token: SqlToken, at: number) => boolean,
): readonly SqlToken[] {
  return tokens.filter(isWanted);
}

/** The first tokens of every run whose words are `sequence`. */
function findSequence(
  tokens: readonly SqlToken[],
  sequence: readonly string[],
): readonly SqlToken[] {
  return tokens.filter((_, at) =>
    sequence.every((part, offset) => tokens[at + offset]?.upper === part),
  );
}

/** Every FROM that opens a table list, with the tokens of the list. */
function froms(
  tokens: readonly SqlToken[],
): readonly { from: SqlToken; items: readonly SqlToken[] }[] {
  const found: { from: SqlToken; items: readonly SqlToken[] }[] = [];
  // Lists do not nest at one depth, so the ends are found in one pass from the right per depth.
  const ends = new Map<number, number>();
  for (let at = tokens.length - 1; at >= 0; at -= 1) {
    const token = tokens[at];
    if (!token) continue;
    if (token.text === ')') ends.set(token.depth + 1, at);
    if (clauseStarts.has(token.upper)) ends.set(token.depth, at);
    if (token.upper !== 'FROM' || !isTableList(tokens, at)) continue;
    const end = ends.get(token.depth) ?? tokens.length;
    found.push({ from: token, items: tokens.slice(at + 1, Math.min(end, at + 1 + maxTableList)) });
    ends.set(token.depth, at);
  }
  return found.reverse();
}

const maxTableList = 2_000;

/** `EXTRACT(YEAR FROM x)` and `IS DISTINCT FROM` have no table list. */
function isTableList(tokens: readonly SqlToken[], at: number): boolean {
  const before = tokens[at - 1]?.upper;
  const depth = tokens[at]?.depth ?? 0;
  if (before === 'DISTINCT') return false;
  for (let back = at - 1; back >= 0 && back > at - maxTableList; back -= 1) {
    const token = tokens[back];
    if (!token) return false;
    if (token.depth < depth) return false;
    if (token.depth === depth && /^(?:SELECT|DELETE|UPDATE|USING)$/.test(token.upper)) return true;
  }
  return false;
}

function missingWhere(
  tokens: readonly SqlToken[],
  verb: 'UPDATE' | 'DELETE',
  message: string,
): readonly SqlProblem[] {
  const first = tokens[0];
  if (first?.upper !== verb || (verb === 'UPDATE' && !tokens.some(({ upper }) => upper === 'SET')))
    return [];
  return tokens.some(({ upper, depth }) => upper === 'WHERE' && depth === 0)
    ? []
    : [{ at: first, message }];
}

/** `SET x = NULL` and a default of NULL are assignments. */
function isAssignmentStatement(tokens: readonly SqlToken[]): boolean {
  return /^(?:UPDATE|SET|INSERT|MERGE|REPLACE|CREATE|ALTER|EXEC|EXECUTE|DECLARE)$/.test(
    tokens[0]?.upper ?? '',
  );
}

function checkJoins(tokens: readonly SqlToken[]): readonly SqlProblem[] {
  const problems: SqlProblem[] = [];
  const pending = new Map<number, SqlToken>();
  const settle = (depth: number): void => {
    const join = pending.get(depth);
    if (join)
      problems.push({ at: join, message: 'The join has no condition: every row meets every row' });
    pending.delete(depth);
  };
  tokens.forEach((token, at) => {
    if (token.upper === 'JOIN') {
      const kind = tokens.slice(Math.max(0, at - 3), at).map(({ upper }) => upper);
      // Nested joins may give their conditions later, one after the other.
      if (pending.has(token.depth)) pending.delete(token.depth);
      if (!kind.includes('CROSS') && !kind.includes('NATURAL')) pending.set(token.depth, token);
    } else if (/^(?:ON|USING|LATERAL|APPLY)$/.test(token.upper)) {
      pending.delete(token.depth);
    } else if (clauseStarts.has(token.upper)) {
      settle(token.depth);
    } else if (token.text === ')') {
      settle(token.depth + 1);
    }
  });
  for (const depth of pending.keys()) settle(depth);
  return problems;
}

function checkFunctionOnColumn(tokens: readonly SqlToken[]): readonly SqlProblem[] {
  const problems: SqlProblem[] = [];
  let isInCondition = false;
  tokens.forEach((token, at) => {
    if (/^(?:WHERE|ON)$/.test(token.upper)) isInCondition = true;
    else if (/^(?:SELECT|GROUP|ORDER|SET|VALUES|FROM)$/.test(token.upper)) isInCondition = false;
    if (isInCondition && hiddenColumnFunctions.has(token.upper) && isComparedCall(tokens, at)) {
      const message = `${token.upper}() around a column keeps an index from being used`;
      problems.push({ at: token, message });
    }
  });
  return problems;
}

/** A call that has a name among its arguments and is followed by a comparison. */
function isComparedCall(tokens: readonly SqlToken[], at: number): boolean {
  if (tokens[at + 1]?.text !== '(') return false;
  const depth = tokens[at]?.depth;
  let hasColumn = false;
  for (let next = at + 2; next < tokens.length && next < at + maxTableList; next += 1) {
    const token = tokens[next];
    if (token?.text === ')' && token.depth === depth) {
      return hasColumn && comparisons.has(tokens[next + 1]?.text ?? '');
    }
    if (token?.kind === 'word' || token?.kind === 'quoted') hasColumn = true;
  }
  return false;
}

const afterOrdinal = /^(?:,|ASC|DESC|NULLS|\)|LIMIT|HAVING|ORDER|OFFSET|FETCH|UNION)$/;

function isInOrderList(tokens: readonly SqlToken[], at: number): boolean {
  const after = tokens[at + 1]?.upper;
  if (after !== undefined && !afterOrdinal.test(after)) return false;
  if (!/^(?:BY|,)$/.test(tokens[at - 1]?.upper ?? '')) return false;
  const depth = tokens[at]?.depth ?? 0;
  for (let back = at - 1; back >= 0 && back > at - maxTableList; back -= 1) {
    const token = tokens[back];
    if (!token || token.depth < depth) return false;
    if (token.depth > depth) continue;
    if (token.upper === 'BY') return /^(?:ORDER|GROUP)$/.test(tokens[back - 1]?.upper ?? '');
    if (endsOrderList.test(token.upper)) return false;
  }
  return false;
}

const endsOrderList = /^(?:SELECT|FROM|VALUES|WHERE|HAVING|LIMIT|UNION)$/;

function checkPrimaryKey(tokens: readonly SqlToken[]): readonly SqlProblem[] {
  const words = tokens.slice(0, 8).map(({ upper }) => upper);
  const isTable =
    words[0] === 'CREATE' &&
    words.includes('TABLE') &&
    !/^(?:TEMP|TEMPORARY)$/.test(words[1] ?? '');
  const first = tokens[0];
  if (!first || !isTable) return [];
  const hasColumns = tokens.some(({ text }) => text === '(');
  const isDerived = tokens.some(({ upper }) =>
    /^(?:PRIMARY|SELECT|LIKE|PARTITION|INHERITS|CLONE)$/.test(upper),
  );
  return hasColumns && !isDerived ? [{ at: first, message: 'The table has no primary key' }] : [];
}
