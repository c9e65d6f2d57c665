import {
  sessionSchema,
  turnSchema,
  type Session,
  type Turn,
} from '../../contract/session/index.ts';
import { CorruptDatabaseError } from '../errors.ts';
import { isoTime } from '../sqlite/run-rows.ts';
import type { SqlRow } from './sql-database.ts';

export interface KnownTurns {
  readonly turns: readonly Turn[];
  /** As JSON, in characters. */
  readonly length: number;
}

/**
 * The session of a row, with its turns in their order. Loaded when it is needed: the
 * schemas would cost every start of the program.
 */
export function readSession(row: SqlRow, turns: readonly Turn[], path: string): Session {
  const forked = row['forked_from'];
  const summary = row['summary'];
  const read = sessionSchema.safeParse({
    version: 1,
    id: row['session_id'],
    title: row['title'],
    createdAt: isoTime(row, 'created_at_ms'),
    updatedAt: isoTime(row, 'updated_at_ms'),
    forkedFrom: forked === null ? null : { session: forked, turn: row['forked_turn'] },
    summary: summary === null ? null : { text: summary, turn: row['summary_turn'] },
    ...(typeof row['folder'] === 'string' && { folder: row['folder'] }),
    turns: [],
  });
  if (!read.success) throw new CorruptDatabaseError(path, 'a session is unreadable');
  return { ...read.data, turns: [...turns] };
}

export function readTurns(rows: readonly SqlRow[], path: string): KnownTurns {
  const length = rows.reduce((sum, row) => sum + String(row['turn']).length, 0);
  return { turns: rows.map((row) => readTurn(row, path)), length };
}

function readTurn(row: SqlRow, path: string): Turn {
  try {
    return turnSchema.parse(JSON.parse(String(row['turn'])));
  } catch {
    throw new CorruptDatabaseError(path, 'a turn of a session is unreadable');
  }
}
