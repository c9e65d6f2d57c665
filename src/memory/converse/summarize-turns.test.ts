import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { aTurn } from '../../../testkit/memory/a-session.ts';
import { longTalkTurns } from '../../../test/support/long-talk.ts';
import { countTokens } from '../../kernel/index.ts';
import { createSummarizer } from './summarize-turns.ts';

const conversationSchema = z.object({
  name: z.string(),
  turns: z.array(z.string()),
  facts: z.array(z.array(z.string())),
});

function conversationsOf(set: 'tuned' | 'unseen' | 'later') {
  const file = new URL(`../../../test/data/conversations/${set}.json`, import.meta.url);
  return z.array(conversationSchema).parse(JSON.parse(readFileSync(file, 'utf8')));
}

/** The exchanges of a conversation, spread evenly among others about everyday work. */
function amongOthers(said: readonly string[], turnCount: number) {
  const pairs = Math.ceil(said.length / 2);
  const others = turnCount / 2 - pairs;
  const all: string[] = [];
  for (let pair = 0; pair < pairs; pair += 1) {
    all.push(...said.slice(2 * pair, 2 * pair + 2).map((line) => line.slice('U: '.length)));
    while (all.length / 2 < pair + 1 + Math.round((others * (pair + 1)) / pairs)) {
      const at = all.length % longTalkTurns.length;
      all.push(longTalkTurns[at - (at % 2)] ?? '', longTalkTurns[at - (at % 2) + 1] ?? '');
    }
  }
  return all.map((text, index) =>
    aTurn(index + 1, { text, role: index % 2 === 0 ? 'user' : 'assistant' }),
  );
}

const maxTokens = 600;
const minKept = 0.95;

describe('the sentences that stand for older turns', () => {
  it.each(['tuned', 'unseen', 'later'] as const)(
    'keep decisions, names, numbers and open questions (%s conversations)',
    (set) => {
      const lost: string[] = [];
      let count = 0;
      for (const { name, turns, facts } of conversationsOf(set)) {
        const whole = amongOthers(turns, 100);
        const lines = createSummarizer(countTokens)(whole, { maxTokens, known: '' });
        expect(countTokens(lines.join('\n'))).toBeLessThanOrEqual(maxTokens);
        const isKept = (fact: readonly string[]): boolean =>
          lines.some((line) => fact.every((word) => line.includes(word)));
        lost.push(
          ...facts.filter((fact) => !isKept(fact)).map((fact) => `${name}: ${fact.join()}`),
        );
        count += facts.length;
      }
      expect(count).toBeGreaterThan(30);
      expect(1 - lost.length / count, lost.join('\n')).toBeGreaterThanOrEqual(minKept);
    },
  );

  const summarize = (texts: readonly string[], limit = maxTokens, known = '') => {
    const turns = texts.map((text, index) =>
      aTurn(index + 1, { text, role: index % 2 === 0 ? 'user' : 'assistant' }),
    );
    return createSummarizer(countTokens)(turns, { maxTokens: limit, known });
  };

  it('take the weightiest first where not all fit', () => {
    const texts = [
      'We talked for a while about things.',
      'Yes.',
      'We decided to ship on 3 May 2027.',
    ];
    expect(summarize(texts, 20)).toEqual(['user (turn 3): We decided to ship on 3 May 2027.']);
    expect(summarize(texts, 0)).toEqual([]);
  });

  it('count an unanswered question, and not one that was answered', () => {
    const [kept] = summarize(
      ['Is the report public?', 'I do not know.', 'Is the report long?', 'It has 9 pages.'],
      14,
    );
    expect(kept).toBe('user (turn 1): Is the report public?');
  });

  it('say once what was said twice, and keep what differs in a number', () => {
    const same = ['The port is 5433, remember it.', 'ok', 'The port is 5433, remember it.', 'ok'];
    expect(summarize(same)).toHaveLength(1);
    const differing = ['The port of Anna is 5433.', 'ok', 'The port of Anna is 5434.'];
    expect(summarize(differing)).toHaveLength(2);
  });

  it('leave out what is told already', () => {
    const known = 'They agreed that Anna owns port 5433.';
    expect(summarize(['Anna owns port 5433.'], maxTokens, known)).toEqual([]);
    expect(summarize(['Bert owns port 5433.'], maxTokens, known)).toHaveLength(1);
  });

  it('are found in bounded time, however long and strange the texts are', () => {
    const texts = Array.from({ length: 300 }, (_, at) => `${'a.b/c_ '.repeat(at * 20)}${at}? `);
    expect(summarize([...texts, 'a'.repeat(200_000), '. '.repeat(100_000)]).length).toBeLessThan(
      101,
    );
  });
});
