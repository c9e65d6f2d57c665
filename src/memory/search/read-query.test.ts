import { describe, expect, it } from 'vitest';
import { asSpeaker, readQuery } from './read-query.ts';

const now = Date.parse('2026-03-15T12:00:00Z');
const dayMs = 86_400_000;

describe('reading a question', () => {
  it('keeps the words that say what it is about, and the names among them', () => {
    const read = readQuery('When did Anna go to the lake with Greta?', now);
    expect(read.words).toEqual(['anna', 'go', 'lake', 'greta']);
    expect([...read.names]).toEqual(['anna', 'greta']);
  });

  it('tells a question about the past from one about what holds', () => {
    expect(readQuery('Where did Tom live before?', now).isAboutPast).toBe(true);
    expect(readQuery('Which port did we originally use?', now).isAboutPast).toBe(true);
    expect(readQuery('Where does Tom live?', now).isAboutPast).toBe(false);
  });

  it.each([
    ['What did Anna bake in February?', '2026-02-10', '2026-03-10'],
    ['What did Anna bake in December?', '2025-12-24', '2026-01-02'],
    ['What happened in March 2024?', '2024-03-31', '2026-03-03'],
    ['What did we say on 5 May 2025?', '2025-05-06', '2025-05-20'],
    ['What did we say on May 5, 2025?', '2025-05-05', '2025-06-05'],
    ['What did we say on 2025-05-05?', '2025-05-05', '2025-04-05'],
    ['What did I say yesterday?', '2026-03-14', '2026-03-10'],
    ['What did I decide two weeks ago?', '2026-03-01', '2025-12-01'],
  ])('finds the time that "%s" names', (text, inside, outside) => {
    const { times } = readQuery(text, now);
    const isIn = (day: string): boolean =>
      times.some(({ fromMs, untilMs }) => {
        const atMs = Date.parse(day) + dayMs / 2;
        return atMs >= fromMs && atMs < untilMs;
      });
    expect(isIn(inside)).toBe(true);
    expect(isIn(outside)).toBe(false);
  });

  it('takes "may" for a month only beside a word that says so', () => {
    expect(readQuery('May I ask what we decided?', now).times).toEqual([]);
    expect(readQuery('Where did Anna travel in May?', now).times).not.toEqual([]);
  });

  it('asks as the person whom it names, and leaves other names alone', () => {
    const speakers = new Set(['anna']);
    expect(asSpeaker("What is Anna's dog called?", speakers)).toBe('What is my dog called?');
    expect(asSpeaker('When was Anna in Lisbon?', speakers)).toBe('When was I in Lisbon?');
    expect(asSpeaker('When was Anna in Lisbon?', new Set())).toBe('When was Anna in Lisbon?');
  });
});
