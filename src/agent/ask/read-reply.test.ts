import { describe, expect, it } from 'vitest';
import { sessionSchema, type Session } from '../../contract/session/index.ts';
import { missingInputs } from '../propose/index.ts';
import { readReply } from './read-reply.ts';

const plan = { version: 1 as const, name: 'one', steps: [{ id: 'a', tool: 'x.a' }] };
const other = { version: 1 as const, name: 'two', steps: [{ id: 'b', tool: 'x.b' }] };

function after(...turns: readonly object[]): Session {
  const at = '2026-01-01T00:00:00.000Z';
  const numbered = turns.map((turn, index) => ({ text: '', number: index + 1, at, ...turn }));
  const whole = {
    version: 1,
    id: 's',
    title: '',
    createdAt: at,
    updatedAt: at,
    forkedFrom: null,
    summary: null,
  };
  return sessionSchema.parse({ ...whole, turns: numbered });
}

const user = (text: string): object => ({ role: 'user', text });
const shown = after(user('make it'), {
  role: 'assistant',
  outcome: 'plan',
  plan,
  alternatives: [other],
});
const asked = after(user('make it'), { role: 'assistant', outcome: 'question', questions: ['?'] });
const chosen = after(user('make it'), {
  role: 'assistant',
  outcome: 'question',
  alternatives: [plan, other],
});
const waiting = after(user('make it'), { role: 'assistant', outcome: 'question', runId: 'run-1' });

describe('a message after a plan', () => {
  it.each(['yes', 'Yes!', 'ok', 'go ahead.', 'run it', 'ja', 'yep do it', 'sure, go'])(
    '"%s" accepts it, and the first of several',
    (words) => {
      const alone = after(user('make it'), { role: 'assistant', outcome: 'plan', plan });
      expect(readReply(words, alone)).toEqual({ kind: 'accepted', plan });
      expect(readReply(words, shown)).toEqual({ kind: 'accepted', plan, firstOf: 2 });
    },
  );

  it.each(['1', '#1', 'the first one'])('"%s" takes the first', (words) => {
    expect(readReply(words, shown)).toEqual({ kind: 'accepted', plan });
  });

  it.each(['2', '2.', 'option 2', 'plan 2', 'the second one', 'the last one'])(
    '"%s" takes the other',
    (words) => {
      expect(readReply(words, shown)).toEqual({ kind: 'accepted', plan: other });
    },
  );

  it.each(['no', 'No.', 'never mind', 'cancel', 'nah', 'none of these'])(
    '"%s" declines it',
    (words) => {
      expect(readReply(words, shown)).toEqual({ kind: 'declined' });
    },
  );

  it.each(['yes but in Go', 'no, write it in Go', 'run it on the other file'])(
    '"%s" changes it, or is a message of its own',
    (words) => {
      expect(readReply(words, shown)).toEqual({ kind: 'answered', request: 'make it', to: 'plan' });
    },
  );

  it('a number that there is not is no choice', () => {
    expect(readReply('3', shown)).toMatchObject({ kind: 'misfit', why: 'There are plans 1 to 2.' });
    expect(readReply('0', shown)).toMatchObject({ kind: 'misfit' });
  });
});

describe('a message after questions', () => {
  it('answers them', () => {
    expect(readReply('python', asked)).toEqual({
      kind: 'answered',
      request: 'make it',
      to: 'question',
    });
    const twice = after(
      user('a'),
      { role: 'assistant', outcome: 'question', questions: ['?'] },
      user('b'),
      {
        role: 'assistant',
        outcome: 'question',
        questions: ['?'],
      },
    );
    expect(readReply('c', twice)).toMatchObject({ kind: 'answered', request: 'a\nb' });
  });

  it('chooses by number, or the first by yes', () => {
    expect(readReply('2', chosen)).toEqual({ kind: 'accepted', plan: other });
    expect(readReply('yes', chosen)).toEqual({ kind: 'accepted', plan, firstOf: 2 });
    expect(readReply('no', chosen)).toEqual({ kind: 'declined' });
  });

  it('drops them by no, and yes is no answer to what asks for more', () => {
    expect(readReply('never mind', asked)).toEqual({ kind: 'declined' });
    expect(readReply('yes', asked)).toMatchObject({ kind: 'misfit' });
    const incomplete = { ...plan, input: { path: { type: 'string' } } };
    const meant = after(user('make it'), {
      role: 'assistant',
      outcome: 'question',
      questions: ['Which file?'],
      alternatives: [incomplete],
    });
    expect(readReply('yes', meant)).toMatchObject({ kind: 'misfit' });
    const [missing] = missingInputs(incomplete);
    const lacking = after(user('make it'), {
      role: 'assistant',
      outcome: 'question',
      questions: [missing?.question ?? ''],
      alternatives: [incomplete],
    });
    expect(readReply('src/a.ts', lacking)).toMatchObject({ kind: 'supplied' });
    expect(readReply('y', lacking)).toMatchObject({ kind: 'misfit' });
  });

  it.each(['continue', 'yes', 'done'])('about a run, "%s" goes on with it', (words) => {
    expect(readReply(words, waiting)).toEqual({ kind: 'resumed', runId: 'run-1' });
    expect(readReply('what else?', waiting)).toEqual({ kind: 'new' });
  });
});

it('is a message of its own at the beginning and after an answer', () => {
  expect(readReply('yes', after())).toEqual({ kind: 'new' });
  const answered = after(user('x'), { role: 'assistant', outcome: 'answer' });
  expect(readReply('yes', answered)).toEqual({ kind: 'new' });
});
