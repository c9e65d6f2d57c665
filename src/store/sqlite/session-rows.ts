import type { SessionSummary } from '../../contract/session/index.ts';
import type { SessionHolder } from '../../memory/index.ts';
import { readNumber, type Row } from './run-rows.ts';

export function readSessionSummary(row: Row, isOpen: boolean): SessionSummary {
  return {
    id: String(row['session_id']),
    title: String(row['title']),
    createdAt: isoTime(row, 'created_at_ms'),
    updatedAt: isoTime(row, 'updated_at_ms'),
    turns: readNumber(row, 'turn_count'),
    isOpen,
  };
}

export function readHolder(row: Row): SessionHolder {
  return { pid: readNumber(row, 'lease_pid'), since: isoTime(row, 'lease_since_ms') };
}

export function isoTime(row: Row, column: string): string {
  return new Date(readNumber(row, column)).toISOString();
}
