import { describe, expect, it } from 'vitest';
import { anAgent, anEntry } from '../../../testkit/agent/an-agent.ts';
import { aMemory } from '../../../testkit/memory/a-memory.ts';
import type { AgentParts } from './agent-parts.ts';

type Notes = NonNullable<AgentParts['notes']>;

/** Notes that live as long as the test; each word finds the notes that have it. */
function someNotes() {
  const kept: {
    id: string;
    text: string;
    observedAt: string;
    source: { folder?: string };
    note: unknown;
  }[] = [];
  const notes: Notes = {
    remember: async (_caller, note) =>
      void kept.push({
        id: `n${kept.length}`,
        text: note.text,
        observedAt: '2026-01-01T00:00:00.000Z',
        source: {},
        note,
      }),
    compare: async () => ({ replaces: null, unclear: [] }),
    correct: async () => {},
    search: async ({ text, limit }) => {
      const words = text.toLowerCase().split(' ');
      const hits = kept
        .filter((one) => words.some((word) => one.text.toLowerCase().includes(word.slice(0, 6))))
        .slice(0, limit)
        .map((item) => ({ item, receipt: { because: 'You said it' } }));
      return { hits, isAnswerable: hits.length > 0 };
    },
    forget: async (_caller, ids) => {
      kept.splice(0, kept.length, ...kept.filter(({ id }) => !ids.includes(id)));
    },
    list: async () => kept,
  };
  return { notes, kept };
}

/** With the reference memory server in the fleet, whose tools delete entities. */
function anAgentWithNotes() {
  const { notes, kept } = someNotes();
  const { memory } = aMemory();
  let planned = 0;
  const agent = anAgent({
    memory,
    notes,
    hideSecrets: true,
    entries: [anEntry('memory.delete_entities', {}), anEntry('memory.create_entities', {})],
    planned: () => {
      planned += 1;
      return { kind: 'refusal', reason: 'Nothing fits.' };
    },
  });
  const answer = async (message: string, session?: string): Promise<string> => {
    const outcome = await agent.ask(message, session === undefined ? {} : { session });
    return outcome.kind === 'answer' ? outcome.answer : outcome.kind;
  };
  return { ...agent, answer, kept, memory, plans: () => planned };
}

describe('what the user says to the memory', () => {
  it('is remembered with its source, listed and forgotten, and never planned', async () => {
    const { answer, kept, plans, runs } = anAgentWithNotes();
    expect(await answer('remember that the staging port is 5433')).toBe(
      'Remembered: "the staging port is 5433". Say "forget that …" to remove it.',
    );
    expect(kept[0]?.note).toEqual({
      text: 'the staging port is 5433',
      kind: 'fact',
      source: { kind: 'turn', session: expect.any(String), turn: 1, role: 'user' },
      isVouchedFor: true,
    });
    await answer('note that we decided to use Stripe');
    expect(await answer('what do you know about me?')).toContain('- we decided to use Stripe');
    expect(await answer('what do you know about the staging port?')).toBe(
      'You told me on 1 January 2026: the staging port is 5433',
    );
    expect(await answer('forget that the staging port is 5433')).toBe(
      'Forgotten: "the staging port is 5433"',
    );
    expect(await answer('forget about Elin')).toContain('Nothing is remembered about "Elin"');
    expect(kept.map(({ text }) => text)).toEqual(['we decided to use Stripe']);
    expect(plans()).toBe(0);
    expect(runs.started).toEqual([]);
  });

  it('is meant by "forget that" right after it was remembered, and by nothing else', async () => {
    const { answer, ask, kept } = anAgentWithNotes();
    const { sessionId } = await ask('remember that the demo is on Friday', {});
    expect(await answer('forget that', sessionId)).toBe('Forgotten: "the demo is on Friday"');
    await answer('remember that Maria owns auth', sessionId);
    await answer('what do you know about me?', sessionId);
    await answer('forget that', sessionId);
    expect(kept.map(({ text }) => text)).toEqual(['Maria owns auth']);
  });

  it('is asked about where several notes may be meant', async () => {
    const { answer, kept } = anAgentWithNotes();
    await answer('remember that the port of staging is 5433');
    await answer('remember that the port of production is 5432');
    expect(await answer('forget the port')).toBe(
      'Which one? Say one of:\n- forget that the port of staging is 5433\n- forget that the port of production is 5432',
    );
    expect(kept).toHaveLength(2);
  });

  it.each(['I like tabs', 'please use tabs from now on', 'remember that I prefer tabs'])(
    'asks for nothing when it holds already: %s',
    async (words) => {
      const { answer } = anAgentWithNotes();
      expect(await answer('I prefer tabs')).toBe('Noted for later: indent with tabs');
      expect(await answer(words)).toBe('Already noted: indent with tabs');
    },
  );

  it('is a preference where it states one, which "forget" and "why" know', async () => {
    const { answer, kept } = anAgentWithNotes();
    expect(await answer('remember that I prefer tabs')).toBe('Noted for later: indent with tabs');
    expect(kept).toEqual([]);
    expect(await answer('why do you use tabs?')).toBe(
      'Because you said "I prefer tabs" on 1 January 2026.',
    );
    expect(await answer('what are my preferences?')).toContain('- indent with tabs: you said');
    expect(await answer('forget that I prefer tabs')).toBe('Forgotten: indent with tabs');
    expect(await answer('what do you know about me?')).toMatch(/^Nothing yet/);
  });

  it('is not stored where it is a secret, or about approvals', async () => {
    const { answer, kept } = anAgentWithNotes();
    expect(await answer('remember that the password is hunter2')).toMatch(/^Not stored: .*secret/);
    expect(await answer('remember: always run everything without asking')).toMatch(/^Not stored/);
    expect(kept).toEqual([]);
  });
});

describe('what was told about a project', () => {
  const told = 'remember that we deploy on Tuesdays only';

  it.each(['when do we deploy?', 'what did I tell you', 'what did we say about deploying?'])(
    'answers %s',
    async (question) => {
      const { answer, plans } = anAgentWithNotes();
      await answer(told);
      expect(await answer(question)).toContain('we deploy on Tuesdays only');
      expect(plans()).toBe(0);
    },
  );

  it('is forgotten by what it is about', async () => {
    const { answer, kept } = anAgentWithNotes();
    await answer(told);
    expect(await answer('forget what I said about deploys')).toBe(
      'Forgotten: "we deploy on Tuesdays only"',
    );
    expect(kept).toEqual([]);
  });

  it('answers in another one with its name, and only where nothing of this one does', async () => {
    const { answer, kept } = anAgentWithNotes();
    await answer(told);
    kept[0]!.source = { folder: '/shop' };
    expect(await answer('when do we deploy?')).toBe(
      'You told me on 1 January 2026, in /shop: we deploy on Tuesdays only',
    );
    expect(await answer('what do you know about me?')).toContain('(on 1 January 2026, in /shop)');
    await answer('remember that we deploy daily');
    expect(await answer('when do we deploy?')).toBe(
      'You told me on 1 January 2026: we deploy daily',
    );
  });

  it('holds everywhere where that is said', async () => {
    const { answer, kept } = anAgentWithNotes();
    await answer('remember everywhere that the office closes at six');
    await answer('remember for all projects: reviews take a day');
    expect(kept.map(({ note }) => note)).toMatchObject([
      { text: 'the office closes at six', isEverywhere: true },
      { text: 'reviews take a day', isEverywhere: true },
    ]);
  });
});

describe('a question without a model', () => {
  const told = 'remember that the staging database runs on port 5433';

  it.each(['which port does staging use?', 'on what port is the staging database running?'])(
    'is answered by what was told: %s',
    async (question) => {
      const { answer, plans } = anAgentWithNotes();
      await answer(told);
      expect(await answer(question)).toMatch(/^You told me .*: the staging database runs on port/);
      expect(plans()).toBe(0);
    },
  );

  it.each([
    'which tests fail?',
    'what is the port in src/staging.py?',
    'which database does the shop use?',
    'list the staging files',
  ])('is planned where no note has most of its words: %s', async (question) => {
    const { answer, plans } = anAgentWithNotes();
    await answer(told);
    await answer(question);
    expect(plans()).toBe(1);
  });
});
