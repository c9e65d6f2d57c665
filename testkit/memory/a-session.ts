import type { Session, Turn } from '../../src/contract/session/index.ts';

/** A turn of the user's at the second of its number. */
export function aTurn(number: number, parts: Partial<Turn> = {}): Turn {
  const at = new Date(Date.UTC(2026, 0, 1) + number * 1_000).toISOString();
  return { number, at, role: 'user', text: `text of ${number}`, remembered: [], ...parts };
}

export function aSession(parts: Partial<Session> = {}): Session {
  return {
    version: 1,
    id: 'one',
    title: 'One',
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-01T00:00:00.000Z',
    forkedFrom: null,
    summary: null,
    turns: [],
    ...parts,
  };
}
