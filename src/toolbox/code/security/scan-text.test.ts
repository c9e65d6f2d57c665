import { describe, expect, it } from 'vitest';
import type { Language } from '../language.ts';
import { blank, matchText } from './scan-text.ts';
import type { RuleGroup } from './security-rules.ts';

function found(group: RuleGroup, language: Language, text: string): string[] {
  const unit = { start: 0, text, code: text };
  return matchText(group, { path: 'a', language, text }, [unit]).map(
    ({ rule, line }) => `${rule}:${line}`,
  );
}

describe('rules over text', () => {
  it('report a style sheet wherever they match', () => {
    const text = 'a { b: url(http://x) }\nc { d: url(http://y) }\n';
    expect(found('css', 'css', text)).toEqual([
      'css/insecure-resource:1',
      'css/insecure-resource:2',
    ]);
  });

  it('report a statement once, and not when an exception holds', () => {
    expect(found('sql', 'sql', 'DELETE FROM a')).toEqual(['sql/delete-all:1']);
    expect(found('sql', 'sql', 'DELETE FROM a WHERE b')).toEqual([]);
  });

  it('leave placeholders of passwords alone', () => {
    expect(found('sql', 'sql', "ALTER USER a IDENTIFIED BY 'x9!kLm2pQ7z'")).toHaveLength(1);
    expect(found('sql', 'sql', "ALTER USER a IDENTIFIED BY '${PASSWORD}'")).toEqual([]);
  });

  it('look only at the languages they are for, and want every sign', () => {
    const text = 'while True:\n    os.fork()\n';
    expect(found('malicious', 'python', text)).toEqual(['malicious/fork-bomb:1']);
    expect(found('malicious', 'javascript', text)).toEqual([]);
    expect(found('malicious', 'python', 'open(".ssh/id_rsa")')).toEqual([]);
  });
});

it('blank keeps lines and the rest of the text where they are', () => {
  expect(
    blank('ab\ncd\nef', [
      [4, 7],
      [1, 5],
    ]),
  ).toBe('a \n  \n f');
});
