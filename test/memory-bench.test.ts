import { describe, expect, it } from 'vitest';
import { generateConversations } from '../bench/memory/generate.ts';

const tuning = generateConversations('tuning', 21);
const heldOut = generateConversations('held-out', 21);
const all = [...tuning, ...heldOut];

describe('the conversations of bench/memory', () => {
  it('are at least 20 with 8,000 turns, and the same for the same seed', () => {
    expect(all.length).toBeGreaterThanOrEqual(20);
    expect(all.flatMap(({ turns }) => turns).length).toBeGreaterThanOrEqual(8_000);
    expect(generateConversations('tuning', 21)).toEqual(tuning);
    expect(generateConversations('tuning', 22)).not.toEqual(tuning);
  });

  it('have evidence for every question that has an answer, and none for the others', () => {
    for (const { questions, turns } of all) {
      for (const { kind, evidence } of questions) {
        expect(evidence.length === 0).toBe(kind === 'unanswerable');
        expect(evidence.every((number) => turns[number - 1]?.number === number)).toBe(true);
      }
    }
    const kinds = new Set(all.flatMap(({ questions }) => questions.map(({ kind }) => kind)));
    expect(kinds.size).toBe(7);
  });

  it('share no question between the halves', () => {
    const texts = (half: typeof all) =>
      new Set(half.flatMap(({ questions }) => questions.map(({ text }) => text)));
    expect([...texts(tuning).intersection(texts(heldOut))]).toEqual([]);
  });
});
