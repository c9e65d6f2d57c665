import {
  sessionSchema,
  turnSchema,
  type Conversation,
  type ConversationRequest,
  type NewTurn,
  type OpenSession,
  type Session,
  type Turn,
} from '../../src/contract/session/index.ts';
import type { AgentParts } from '../../src/agent/ask/index.ts';

/** Sessions that are gone with the test; what was appended is checked against the contract. */
export class MemorySessions {
  readonly sessions = new Map<string, Session>();
  readonly tasks = new Map<string, object>();
  readonly busy = new Set<string>();

  memory(): AgentParts['memory'] {
    const { sessions } = this;
    const unused = async (): Promise<never> => {
      throw new Error('not part of this test');
    };
    return {
      sessions: {
        create: async (_caller, { title = '' } = {}) => {
          const id = `s-${sessions.size + 1}`;
          const at = '2026-01-01T00:00:00.000Z';
          const empty = { version: 1, id, title, createdAt: at, updatedAt: at } as const;
          sessions.set(id, { ...empty, forkedFrom: null, summary: null, turns: [] });
          return this.#open(id);
        },
        open: async (_caller, id) => this.#open(id),
        list: unused,
        show: unused,
        fork: unused,
        import: unused,
        remove: unused,
        close: async () => {},
      },
      converse: async (request) => conversationOf(request),
      learn: async (_caller, message) => ({
        learned: message.includes('I prefer') ? [message] : [],
        suggested: [],
        known: [],
        replaced: [],
        isAll: false,
        isCorrection: false,
        refused: [],
      }),
      observe: async () => [],
      preferences: async () => [],
      settle: async () => {},
      forget: unused,
    };
  }

  turns(id = 's-1'): readonly Turn[] {
    return this.sessions.get(id)?.turns ?? [];
  }

  #open(id: string): OpenSession {
    if (this.busy.has(id)) throw new Error('session busy');
    this.busy.add(id);
    const current = (): Session => {
      const session = this.sessions.get(id);
      if (!session) throw new Error(`no session ${id}`);
      return session;
    };
    const change = (parts: Partial<Session>): void => {
      this.sessions.set(id, sessionSchema.parse({ ...current(), ...parts }));
    };
    return {
      id,
      current,
      append: async (turn: NewTurn) => {
        const { turns } = current();
        const numbered = { ...turn, number: turns.length + 1, at: '2026-01-01T00:00:00.000Z' };
        const stored = turnSchema.parse(numbered);
        change({ turns: [...turns, stored] });
        return stored;
      },
      summarize: async (summary) => change({ summary }),
      rename: async (title) => change({ title }),
      task: async () => structuredClone(this.tasks.get(id)),
      saveTask: async (task) => void this.tasks.set(id, structuredClone(task)),
      close: async () => void this.busy.delete(id),
    };
  }
}

function conversationOf({ session, maxTurns }: ConversationRequest): Conversation {
  return {
    preferences: [],
    summary: session.summary?.text ?? null,
    recalled: [],
    recent: session.turns.slice(-maxTurns),
    remembered: session.turns.flatMap(({ remembered }) => remembered).toReversed(),
    tokens: 0,
  };
}
