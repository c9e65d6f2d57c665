import { describe, expect, it } from 'vitest';
import type { Session, Turn } from '../../contract/session/index.ts';
import { anAgent, anEntry, anIntent } from '../../../testkit/agent/an-agent.ts';
import { says } from '../../../testkit/agent/fibonacci.ts';
import { findUnanswered, requestBehind } from './unanswered.ts';

/** A session of these turns: what the user said, or how a turn of the assistant ended. */
function aSession(...said: readonly (string | { readonly outcome: Turn['outcome'] })[]): Session {
  const at = '2026-01-01T00:00:00.000Z';
  const turns = said.map((one, index): Turn => {
    const known = { number: index + 1, at, remembered: [] };
    return typeof one === 'string'
      ? { ...known, role: 'user', text: one }
      : { ...known, role: 'assistant', text: '', outcome: one.outcome };
  });
  const known = { version: 1, id: 's', title: '', createdAt: at, updatedAt: at } as const;
  return { ...known, forkedFrom: null, summary: null, turns };
}

const answer = { outcome: 'answer' } as const;
const plan = { outcome: 'plan' } as const;
const question = { outcome: 'question' } as const;

describe('a message without an answer', () => {
  it.each([
    ['is none where all were answered', aSession('a', answer), undefined, undefined],
    ['is the last one', aSession('a', answer, 'b'), 'b', 2],
    ['is the one before tries to continue', aSession('a', 'continue', 'continue'), 'a', 0],
    [
      'is none where only tries to continue have none',
      aSession('a', question, 'go on'),
      undefined,
      2,
    ],
  ])('%s', (_what, session, text, before) => {
    const found = findUnanswered(session);
    expect(found?.turn?.text).toBe(text);
    expect(found?.before.turns.length).toBe(before);
  });
});

describe('the request behind a short reply', () => {
  it.each([
    ['was made before the plan that was shown', aSession('x', answer, 'a', plan), 'a'],
    ['was made before all that was asked about it', aSession('a', plan, 'yes', question), 'a'],
    ['is not there where nothing is open', aSession('a', answer), undefined],
  ])('%s', (_what, session, text) => {
    expect(requestBehind(session)).toBe(text);
  });

  it('is what the model is told about when it puts the results into words', async () => {
    const send = { id: 'send', tool: 'mail.send', args: { to: 'a@b.test', text: 'hallo' } };
    const model = says({
      intent: anIntent('Send a mail', ['mail.send']),
      plan: { steps: [send] },
      text: 'Gesendet.',
    });
    const entries = [anEntry('mail.send', {}, { required: ['to', 'text'] })];
    const agent = anAgent({ entries, model, tools: { 'mail.send': () => ({ sent: true }) } });
    await agent.ask('schick "hallo" an a@b.test');
    await agent.ask('ja', { session: 's-1' });
    agent.runs.approved.add('send');
    await agent.ask('continue', { session: 's-1' });
    const [prompt] = agent.models.promptsOf('text');
    expect(prompt).toContain('The user\'s message: schick "hallo" an a@b.test');
  });
});

describe('"continue" after a process died before it answered', () => {
  it('is the message once more, with what was attached to it', async () => {
    const model = says({ intent: anIntent('Greet', []), text: 'Hello.' });
    const agent = anAgent({ model });
    const attachments = [{ name: 'a.py', content: 'x = 1\n', language: 'python' }];
    await agent.ask('what is this?', { attachments });
    const session = agent.store.sessions.get('s-1');
    if (!session) throw new Error('no session');
    agent.store.sessions.set('s-1', { ...session, turns: session.turns.slice(0, 1) });
    await agent.ask('continue', { session: 's-1' });
    const prompt = agent.models.promptsOf('text').at(-1);
    expect(prompt).toContain("The user's message: what is this?");
    expect(prompt).toContain('x = 1');
  });
});
