import type { Caller } from '../../contract/caller/index.ts';
import { type ForgottenCopies, noCopies } from '../../contract/memory/index.ts';
import { preferenceSchema } from '../../contract/preference/index.ts';
import type { CopyStore, ForgottenWords } from '../../memory/index.ts';
import { all, type SqlDatabase, type SqlRow, type SqlWork } from './sql-database.ts';

/** `column` has one of the texts of the list `$2`, in any case. Both databases have `replace`, and no other search in common. */
const hasText = (column: string): string => `
  EXISTS (SELECT 1 FROM json_each($2) WHERE replace(lower(${column}), lower(value), '') <> lower(${column}))`;
const isIn = (column: string, list: string): string =>
  `${column} IN (SELECT value FROM json_each(${list}))`;

const preferencesSql = 'SELECT id, preference FROM preferences WHERE caller_id = $1';
const removePreferenceSql = 'DELETE FROM preferences WHERE caller_id = $1 AND id = $2';

const removeFailuresSql = `
  DELETE FROM failures WHERE caller_id = $1 AND (${hasText('record')} OR ${isIn('run_id', '$3')})
  RETURNING failure_id`;
const curesSql = `
  SELECT DISTINCT fix_id FROM fix_uses WHERE caller_id = $1 AND ${isIn('failure_id', '$2')}`;
const removeUsesSql = `DELETE FROM fix_uses WHERE caller_id = $1 AND ${isIn('failure_id', '$2')}`;
/** Of the fixes `$3` those that cured nothing else. */
const removeFixesSql = `
  DELETE FROM learned_fixes WHERE caller_id = $1 AND (${hasText('changes')} OR ${hasText('normalised')}
    OR (${isIn('fix_id', '$3')} AND NOT EXISTS (SELECT 1 FROM fix_uses AS uses
      WHERE uses.caller_id = $1 AND uses.fix_id = learned_fixes.fix_id)))
  RETURNING fix_id`;
const removeUsesOfSql = `DELETE FROM fix_uses WHERE caller_id = $1 AND ${isIn('fix_id', '$2')}`;
const removeApprovalsSql = `DELETE FROM approved_fixes WHERE caller_id = $1 AND ${isIn('fix_id', '$2')}`;

const emptyReasonsSql = `
  UPDATE feedback SET reason = '' WHERE caller_id = $1 AND reason <> ''
    AND (${hasText('reason')} OR ${isIn('run_id', '$3')} OR ${isIn('subject', '$4')})
  RETURNING id`;

const removeContextsSql = `
  DELETE FROM contexts WHERE owner_id = $1 AND ${hasText('text')} RETURNING name, number`;
const removeSharesSql = `
  DELETE FROM context_shares WHERE owner_id = $1
    AND name NOT IN (SELECT name FROM contexts WHERE owner_id = $1)`;

/** Shorter texts, such as "yes", stand in much that has nothing to do with them. */
const minLength = 12;

/** Finds and removes what the tables beside those of items and sessions say of forgotten items. */
export class SqlCopyStore implements CopyStore {
  readonly #database: SqlDatabase;

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  async forget(caller: Caller, words: ForgottenWords): Promise<ForgottenCopies> {
    if (!this.#database.exists) return noCopies;
    const kinds = ['contexts', 'experience', 'feedback', 'preferences'];
    const locks = kinds.map((kind) => `${kind} ${caller.id}`);
    const terms = { locks, durability: 'full', overwrites: true } as const;
    return this.#database.write(terms, () => forgetAll(caller.id, words));
  }
}

function* forgetAll(callerId: string, words: ForgottenWords): SqlWork<ForgottenCopies> {
  const long = words.texts.filter((text) => text.length >= minLength);
  const texts = JSON.stringify([...new Set(long.flatMap(spellings))]);
  const runs = JSON.stringify(words.runIds);
  const subjects = JSON.stringify(
    words.turns.map(({ session, turn }) => `turn:${session}#${turn}`),
  );
  const feedback = yield* all(emptyReasonsSql, callerId, texts, runs, subjects);
  const contexts = yield* all(removeContextsSql, callerId, texts);
  if (contexts.length > 0) yield* all(removeSharesSql, callerId);
  return {
    preferences: yield* forgetPreferences(callerId, words, long),
    ...(yield* forgetFailures(callerId, texts, runs)),
    feedback: feedback.length,
    contexts: contexts.map(({ name, number }) => `${String(name)}@${String(number)}`),
  };
}

/** A text by itself, inside of JSON, and inside of JSON that is a text inside of JSON. */
function spellings(text: string): string[] {
  const inside = (one: string): string => JSON.stringify(one).slice(1, -1);
  return [text, inside(text), inside(inside(text))];
}

function* forgetPreferences(
  callerId: string,
  { turns }: ForgottenWords,
  texts: readonly string[],
): SqlWork<number> {
  let count = 0;
  for (const { id, preference } of yield* all(preferencesSql, callerId)) {
    const { source, text, evidence } = preferenceSchema.parse(JSON.parse(String(preference)));
    const isOfTurn = turns.some(
      (one) => one.session === source?.session && one.turn === source.turn,
    );
    // The evidence is one sentence of the message, cut.
    const isCopy = texts.some(
      (one) => isWithin(one, evidence) || isWithin(one, text) || isWithin(evidence, one),
    );
    if (!isOfTurn && !isCopy) continue;
    yield* all(removePreferenceSql, callerId, Number(id));
    count += 1;
  }
  return count;
}

function isWithin(part: string, whole: string): boolean {
  return part.length >= minLength && whole.toLowerCase().includes(part.toLowerCase());
}

function* forgetFailures(
  callerId: string,
  texts: string,
  runs: string,
): SqlWork<Pick<ForgottenCopies, 'failures' | 'fixes'>> {
  const failures = listOf(yield* all(removeFailuresSql, callerId, texts, runs), 'failure_id');
  const cures = listOf(yield* all(curesSql, callerId, failures.json), 'fix_id');
  yield* all(removeUsesSql, callerId, failures.json);
  const fixes = listOf(yield* all(removeFixesSql, callerId, texts, cures.json), 'fix_id');
  yield* all(removeUsesOfSql, callerId, fixes.json);
  yield* all(removeApprovalsSql, callerId, fixes.json);
  return { failures: failures.count, fixes: fixes.count };
}

function listOf(rows: readonly SqlRow[], column: string) {
  return { count: rows.length, json: JSON.stringify(rows.map((row) => String(row[column]))) };
}
