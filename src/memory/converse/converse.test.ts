import { describe, expect, it } from 'vitest';
import { localCaller } from '../../contract/caller/index.ts';
import type { Plan } from '../../contract/plan/index.ts';
import type {
  Conversation,
  ConversationRequest,
  Memory,
  Remembered,
  Session,
  Turn,
} from '../../contract/session/index.ts';
import { seededRandom } from '../../../testkit/sample.ts';
import { aMemory } from '../../../testkit/memory/a-memory.ts';
import { aSession, aTurn } from '../../../testkit/memory/a-session.ts';

/** A token for each character: the strictest there is. */
const countTokens = (text: string): number => text.length;

const { signal } = new AbortController();

function about(
  memory: Memory,
  session: Session,
  request: Partial<ConversationRequest> = {},
): Promise<Conversation> {
  return memory.converse({
    caller: localCaller,
    session,
    message: 'go on',
    maxTokens: 4_000,
    maxTurns: 10,
    signal,
    ...request,
  });
}

function turns(count: number, parts: (number: number) => Partial<Turn> = () => ({})): Turn[] {
  return Array.from({ length: count }, (_, index) =>
    aTurn(index + 1, { role: index % 2 === 0 ? 'user' : 'assistant', ...parts(index + 1) }),
  );
}

describe('a conversation before a model', () => {
  it('is nothing where nothing was said', async () => {
    const { memory } = aMemory({ countTokens });
    expect(await about(memory, aSession())).toEqual({
      preferences: [],
      summary: null,
      recalled: [],
      recent: [],
      remembered: [],
      tokens: 0,
    });
  });

  it('has the latest turns word for word, and what stands out of the older ones', async () => {
    const { memory } = aMemory({ countTokens });
    const session = aSession({
      turns: turns(30, (number) =>
        number === 2 ? { text: 'We decided that the service is called Heron 42.' } : {},
      ),
    });
    const conversation = await about(memory, session);
    expect(conversation.recent).toEqual(session.turns.slice(20));
    expect(conversation.summary).toContain('the service is called Heron 42.');
    expect(await about(memory, session, { maxTurns: 3 })).toMatchObject({
      recent: session.turns.slice(27),
    });
    expect(await about(memory, session, { maxTurns: 0 })).toMatchObject({ recent: [] });
  });

  it('leaves out the message, where that is the last turn already', async () => {
    const { memory } = aMemory();
    const session = aSession({ turns: turns(3) });
    const message = session.turns[2]?.text ?? '';
    const conversation = await about(memory, session, { message });
    expect(conversation.recent.map(({ number }) => number)).toEqual([1, 2]);
  });

  it('begins with what a model made of the older turns, and tells what it lacks', async () => {
    const { memory } = aMemory();
    const session = aSession({
      summary: { text: 'They built a parser and decided on plan number 7 today.', turn: 10 },
      turns: turns(30, (number) =>
        [5, 7, 15].includes(number) ? { text: `We decided on plan number ${number} today.` } : {},
      ),
    });
    const { summary } = await about(memory, session, { message: 'hm' });
    expect(summary).toMatch(
      /^They built a parser and decided on plan number 7 today\.\nuser \(turn/,
    );
    expect(summary).toContain('user (turn 5): We decided on plan number 5 today.');
    expect(summary).toContain('user (turn 15): We decided on plan number 15 today.');
    expect(summary).not.toContain('user (turn 7)');
    expect((await about(memory, { ...session, turns: turns(5) })).summary).toBeNull();
  });

  it('has the latest of each kind of what it refers to, the newest first', async () => {
    const { memory } = aMemory();
    const remember = (number: number, kind: 'code' | 'tests') => ({
      remembered: [{ kind, content: `${kind} of ${number}`, title: `${kind}.py` }],
    });
    const session = aSession({
      turns: turns(6, (number) => {
        if (number === 1 || number === 3) return remember(number, 'code');
        return number === 2
          ? { remembered: [{ kind: 'file', artifact: 'sha256:1', title: 'big.bin' }] }
          : number === 5
            ? remember(5, 'tests')
            : {};
      }),
    });
    const { remembered, recent } = await about(memory, session);
    expect(remembered).toEqual([
      { kind: 'tests', content: 'tests of 5', title: 'tests.py' },
      { kind: 'code', content: 'code of 3', title: 'code.py' },
      { kind: 'file', artifact: 'sha256:1', title: 'big.bin' },
    ]);
    expect(recent[2]?.remembered).toEqual([{ kind: 'code', title: 'code.py' }]);
  });

  it('names the tools of plans, and leaves out what they were given', async () => {
    const { memory } = aMemory();
    const step = { id: 'look', tool: 'code.review_code' };
    const plan: Plan = {
      version: 1,
      goal: 'x',
      steps: [{ ...step, args: { code: 'x'.repeat(999) } }],
    };
    const session = aSession({ turns: [aTurn(1), aTurn(2, { plan, alternatives: [plan] })] });
    const { recent } = await about(memory, session);
    expect(recent).toEqual([aTurn(1), aTurn(2, { plan: { version: 1, steps: [step] } })]);
  });

  it('cuts what is long, and shows the rest of the conversation beside it', async () => {
    const { memory } = aMemory({ countTokens });
    const session = aSession({
      turns: turns(4, (number) => (number === 3 ? { text: `begin ${'x'.repeat(99_999)}` } : {})),
    });
    const { recent, tokens } = await about(memory, session);
    expect(recent.map(({ number }) => number)).toEqual([1, 2, 3, 4]);
    expect(recent[2]?.text).toMatch(/^begin x+…$/);
    expect(tokens).toBeGreaterThan(2_000);
  });

  it('tells what the user likes', async () => {
    const { memory } = aMemory();
    await memory.learn(localCaller, 'I prefer pytest. Always use TypeScript.');
    expect(await about(memory, aSession())).toMatchObject({
      preferences: ['write TypeScript', 'tests with pytest'],
    });
  });
});

/** Everything in a piece that somebody said or wrote. */
function wordsIn(piece: Turn | Remembered): string {
  if (!('role' in piece)) return `${piece.title}${piece.content ?? ''}`;
  const { text, questions = [], remembered } = piece;
  return [text, ...questions, ...remembered.map(({ title }) => title)].join('');
}

describe('the number of tokens', () => {
  it('is never above the limit, whatever was said and whatever the limit', async () => {
    const { memory } = aMemory({ countTokens });
    await memory.learn(localCaller, 'Always use TypeScript. I prefer pytest. Tabs please.');
    const random = seededRandom(3);
    const texts = ['word ', '\n', '"\\', '\u0000', '漢字', '😀', 'a.b(c)? ', '```js\n'];
    const anyText = (): string =>
      (texts[Math.floor(random() * texts.length)] ?? '').repeat(Math.floor(random() ** 4 * 3_000));
    for (let round = 0; round < 60; round += 1) {
      const session = aSession({
        ...(random() < 0.5 && { summary: { text: anyText(), turn: 1 } }),
        turns: turns(1 + Math.floor(random() * 40), () => ({
          text: anyText(),
          ...(random() < 0.2 && { questions: [anyText()] }),
          ...(random() < 0.3 && {
            remembered: [{ kind: 'code' as const, content: anyText(), title: 'code' }],
          }),
        })),
      });
      const maxTokens = Math.floor(random() ** 3 * 5_000);
      const conversation = await about(memory, session, { maxTokens, message: 'word or 漢字?' });
      const { tokens, preferences, summary, recalled, recent, remembered } = conversation;
      const pieces = [...preferences, summary ?? [], ...recalled, ...recent, ...remembered];
      const counted = pieces.flat().reduce<number>((sum, piece) => {
        return sum + countTokens(typeof piece === 'string' ? piece : wordsIn(piece));
      }, 0);
      expect(counted).toBeLessThanOrEqual(tokens);
      expect(tokens).toBeLessThanOrEqual(maxTokens);
    }
  });

  it('is estimated rather too high where nobody counts', async () => {
    const { memory } = aMemory();
    const session = aSession({ turns: turns(2, () => ({ text: 'x'.repeat(30_000) })) });
    const { recent, tokens } = await about(memory, session, { maxTokens: 100 });
    expect(tokens).toBeLessThanOrEqual(100);
    expect(recent.map(({ text }) => text).join('').length).toBeLessThan(400);
  });
});
