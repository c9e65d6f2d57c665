import type { Preference } from '../../src/contract/preference/index.ts';
import {
  sessionSchema,
  type Memory,
  type Session,
  type Sessions,
} from '../../src/contract/session/index.ts';
import { AppError } from '../../src/kernel/index.ts';

export const aSession: Session = {
  version: 1,
  id: 'session-1',
  title: 'Greeting',
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:01.000Z',
  forkedFrom: null,
  summary: null,
  turns: [
    { number: 1, at: '2026-01-01T00:00:00.000Z', role: 'user', text: 'hello', remembered: [] },
    {
      number: 2,
      at: '2026-01-01T00:00:01.000Z',
      role: 'assistant',
      text: 'Hello to you',
      outcome: 'answer',
      remembered: [],
    },
  ],
};

const aPreference = (text: string): Preference => ({
  topic: text,
  text,
  learnedAt: '2026-01-01T00:00:00.000Z',
  origin: 'statement',
  evidence: `I prefer ${text}`,
  state: 'active',
});

class UnknownPreferenceError extends AppError {
  readonly code = 'memory.unknown_preference';
}

class UnknownSessionError extends AppError {
  readonly code = 'memory.unknown_session';
}

/** Sessions in memory, which nobody writes turns to. */
export function createFakeMemory(first: readonly Session[] = [aSession]): Memory {
  const kept = new Map(first.map((session) => [session.id, session]));
  const preferences = ['tests with pytest', 'tabs'];
  const find = (id: string): Session => {
    const found = id === 'last' ? [...kept.values()].at(-1) : kept.get(id);
    if (!found) throw new UnknownSessionError(`There is no session "${id}"`);
    return found;
  };
  const summarize = ({ id, title, createdAt, updatedAt, turns }: Session) => {
    return { id, title, createdAt, updatedAt, turns: turns.length, isOpen: false };
  };
  const unused = (): never => {
    throw new Error('The terminal leaves that to the agent');
  };
  const sessions: Sessions = {
    create: async () => unused(),
    open: async () => unused(),
    list: async (_caller, { limit }) => [...kept.values()].slice(0, limit).map(summarize),
    show: async (_caller, id) => find(id),
    fork: async (_caller, id) => {
      const forked = { ...find(id), id: `${find(id).id}-fork` };
      kept.set(forked.id, forked);
      return summarize(forked);
    },
    import: async (_caller, data) => {
      const session = { ...sessionSchema.parse(data), id: 'imported' };
      kept.set(session.id, session);
      return summarize(session);
    },
    remove: async (_caller, id) => void kept.delete(id),
    close: async () => {},
  };
  return {
    sessions,
    converse: async () => unused(),
    learn: async () => ({
      learned: [],
      suggested: [],
      known: [],
      replaced: [],
      isAll: false,
      isCorrection: false,
      refused: [],
    }),
    observe: async () => [],
    settle: async () => {},
    preferences: async () => preferences.map(aPreference),
    forget: async (_caller, preference) => {
      const at = preferences.indexOf(preference);
      if (at < 0) throw new UnknownPreferenceError(`There is no preference "${preference}"`);
      return preferences.splice(at, 1);
    },
    close: async () => {},
  };
}
