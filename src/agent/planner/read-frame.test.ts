import { describe, expect, it } from 'vitest';
import { readFrame } from './read-frame.ts';
import { readSlots } from './read-slots.ts';
import { readWords } from './read-words.ts';

const frame = (message: string) => readFrame(readWords(message));

describe('a clause', () => {
  it.each([
    ['write a function that checks passwords', true, false],
    ['I need an Express middleware', true, false],
    ['a function to check palindromes, in Swift', true, false],
    ['write a limerick', true, true],
    ['write tests for it', false, false],
    ['review this function', false, false],
    ['what is our coding standard for Go?', false, false],
    ['give me a review', false, false],
  ])('%s: new program %s, unknown object %s', (message, isMaking, isObjectUnknown) => {
    expect(frame(message)).toMatchObject({ isMaking, isObjectUnknown });
  });

  it('is compared by its concepts; what a new program is for does not count', () => {
    expect([...frame('any passwords in here?').features.keys()]).toContain('secret');
    expect([...frame('write a password checker').features.keys()]).toEqual(['create', 'code']);
    expect(frame('do a quick review of it').features.get('review')).toBeGreaterThan(0.5);
  });

  it('names values for arguments', () => {
    const slots = readSlots(
      readWords('pytest tests in Python, at least 90 % coverage, airbnb, since yesterday'),
    );
    expect(slots).toMatchObject({
      languages: ['python'],
      testFramework: 'pytest',
      coverage: 90,
      styleGuide: 'airbnb',
      since: 'yesterday',
    });
    expect(readSlots(readWords('go ahead and review it')).languages).toEqual([]);
    expect(readSlots(readWords('port it to Go')).languages).toEqual(['go']);
    expect(readSlots(readWords('lines no longer than 90 characters')).lineLength).toBe(90);
  });
});
