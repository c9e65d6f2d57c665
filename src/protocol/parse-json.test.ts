import { describe, expect, it } from 'vitest';
import { parseJson } from './parse-json.ts';

const limits = { maxBytes: 100_000, maxDepth: 200 };
const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

describe('parseJson', () => {
  it('parses what is within the limits', () => {
    expect(parseJson(Buffer.from(nested(200)), limits).kind).toBe('parsed');
    expect(parseJson(Buffer.from('{"a":"ä"}'))).toEqual({
      kind: 'parsed',
      value: { a: 'ä' },
      text: '{"a":"ä"}',
    });
  });

  it('refuses more levels than allowed, however many', () => {
    expect(parseJson(Buffer.from(nested(201)), limits).kind).toBe('too_deep');
    expect(parseJson(Buffer.from(nested(10_000)), limits).kind).toBe('too_deep');
    const objects = `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`;
    expect(parseJson(Buffer.from(objects), limits).kind).toBe('too_deep');
    const large = { maxBytes: 40_000_000, maxDepth: 200 };
    expect(parseJson(Buffer.from(nested(10_000_000)), large).kind).toBe('too_deep');
    const deepInside = `{"text":"${'['.repeat(2_000_000)}","deep":${nested(200)}}`;
    expect(parseJson(Buffer.from(deepInside), large).kind).toBe('too_deep');
  });

  it('does not count brackets inside strings', () => {
    const text = JSON.stringify({ text: `${'['.repeat(500)}\\"${'{'.repeat(500)}` });
    expect(parseJson(Buffer.from(text), limits).kind).toBe('parsed');
    const wide = JSON.stringify(Array.from({ length: 1_000 }, () => [{}]));
    expect(parseJson(Buffer.from(wide), limits).kind).toBe('parsed');
  });

  it('refuses more bytes than allowed before looking at them', () => {
    expect(parseJson(Buffer.alloc(100_001), limits).kind).toBe('too_large');
  });

  it('refuses half a character', () => {
    expect(parseJson(Buffer.from([0x22, 0xc3, 0x22]), limits).kind).toBe('not_utf8');
  });

  it('keeps keys like __proto__ as plain data', () => {
    const parsed = parseJson(Buffer.from('{"__proto__":{"polluted":true}}'));
    expect(parsed.kind).toBe('parsed');
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});
