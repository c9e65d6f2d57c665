import { describe, expect, it } from 'vitest';
import { extraMembers, requestText } from './request-text.ts';

describe('the text of a request', () => {
  it('says the members it was given, and `_meta`, under exactly their names', () => {
    const odd = { 'a"b': 1, 'c\\': { d: null }, '\u2028é\n': 'x', plain: [1, '2'] };
    const text = requestText(7, { method: 'm"x', members: extraMembers(odd) }, '{"t":1}');
    expect(text).not.toContain('\n');
    expect(JSON.parse(text)).toEqual({
      jsonrpc: '2.0',
      id: 7,
      method: 'm"x',
      params: { ...odd, _meta: { t: 1 } },
    });
  });

  it('has empty params where there is nothing to say, and `_meta` alone where there is just that', () => {
    const draft = { method: 'ping', members: [] };
    expect(requestText(1, draft, '')).toBe('{"jsonrpc":"2.0","id":1,"method":"ping","params":{}}');
    expect(JSON.parse(requestText(1, draft, '{"t":1}'))).toMatchObject({
      params: { _meta: { t: 1 } },
    });
  });
});
