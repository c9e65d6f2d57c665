import { describe, expect, it } from 'vitest';
import { oneLine, rawItems, rawMember } from './raw-member.ts';

describe('rawItems', () => {
  it.each([
    ['[]', []],
    [' [ ] ', []],
    ['[1.0,"a,]\\"",{"b":[1,2]}]', ['1.0', '"a,]\\""', '{"b":[1,2]}']],
    ['\n[ [1 , 2] ,\t{ } , null ]', ['[1 , 2]', '{ }', 'null']],
  ])('gives the exact texts of the items of %j', (text, items) => {
    expect(rawItems(text)).toEqual(items);
  });

  it('agrees with JSON.parse on arrays of any values', () => {
    const random = seeded(7);
    for (let round = 0; round < 500; round += 1) {
      const items = Array.from({ length: round % 5 }, () => aValue(random, 3));
      const text = `${gap(random)}[${items.join(`${gap(random)},${gap(random)}`)}]`;
      expect(rawItems(text)).toEqual(items);
    }
  });
});

describe('rawMember', () => {
  it('gives the exact text of a value, numbers and escapes included', () => {
    const text = '{"id": 1, "result" : {"a":1.0,"b":12345678901234567890,"c":"\\u00e9"} }';
    expect(rawMember(text, 'result')).toBe('{"a":1.0,"b":12345678901234567890,"c":"\\u00e9"}');
  });

  it('finds a member one level down', () => {
    const text = '{"params":{"name":"t","arguments":{"x":[1,{"arguments":2}]}}}';
    expect(rawMember(text, 'params', 'arguments')).toBe('{"x":[1,{"arguments":2}]}');
  });

  it('takes the last of members with the same name, also when one is spelt with escapes', () => {
    expect(rawMember('{"a":1,"\\u0061":2}', 'a')).toBe('2');
    expect(rawMember('{"\\u0061":2,"a":1}', 'a')).toBe('1');
  });

  it('forgets what it found below a member that comes again', () => {
    expect(rawMember('{"a":{"b":1},"a":{"b":2}}', 'a', 'b')).toBe('2');
    expect(rawMember('{"a":{"b":1},"a":{"c":2}}', 'a', 'b')).toBeUndefined();
    expect(rawMember('{"a":{"b":1},"a":3}', 'a', 'b')).toBeUndefined();
  });

  it('does not take the spelling of a name for the name', () => {
    expect(rawMember(String.raw`{"a\n":1}`, String.raw`a\n`)).toBeUndefined();
    expect(rawMember(String.raw`{"a\\n":2,"a\n":1}`, String.raw`a\n`)).toBe('2');
  });

  it('is not misled by quotes and brackets inside strings', () => {
    expect(rawMember('{"x":"\\\\\\"}{","a":["]",{"}":"\\\\"}]}', 'a')).toBe('["]",{"}":"\\\\"}]');
  });

  it('gives nothing for what is not there', () => {
    expect(rawMember('{}', 'a')).toBeUndefined();
    expect(rawMember('[1]', 'a')).toBeUndefined();
    expect(rawMember('{"params":3}', 'params', 'arguments')).toBeUndefined();
    expect(rawMember('{"a":{"b":1}}', 'b')).toBeUndefined();
  });

  it('ends on text that is no JSON', () => {
    for (const text of ['', '{', '{"a', '{"a":', '{"a":[', '{"a":"', '{"a" 1', '{"a":1,']) {
      expect(() => rawMember(text, 'a')).not.toThrow();
    }
  });

  it('agrees with JSON.parse on generated documents', () => {
    const random = seeded(20_260_728);
    for (let round = 0; round < 2_000; round += 1) {
      const text = aDocument(random);
      const parsed = JSON.parse(text) as Record<string, Record<string, unknown>>;
      for (const name of [...names, 'absent']) {
        const raw = rawMember(text, name);
        if (!Object.hasOwn(parsed, name)) expect(raw, text).toBeUndefined();
        else expect(JSON.parse(String(raw)), text).toEqual(parsed[name]);
        const inner = rawMember(text, name, 'result');
        const value = parsed[name];
        const hasInner =
          typeof value === 'object' &&
          value !== null &&
          !Array.isArray(value) &&
          Object.hasOwn(value, 'result');
        if (hasInner) expect(JSON.parse(String(inner)), text).toEqual(value['result']);
        else expect(inner, text).toBeUndefined();
      }
    }
  });
});

describe('oneLine', () => {
  it('takes line ends out of a text without changing what it says', () => {
    const text = '{\n  "a": "x\\ny",\r\n  "b": [1.0,\n2]\n}';
    const line = oneLine(text);
    expect(line).not.toMatch(/[\r\n]/);
    expect(JSON.parse(line)).toEqual(JSON.parse(text));
    expect(line).toContain('1.0');
  });

  it('leaves a text without line ends as it is', () => {
    expect(oneLine('{"a": 1}')).toBe('{"a": 1}');
  });
});

/** None is a lone backslash: after such a key V8's own parser misreads escaped keys of later texts. */
const names = ['result', 'id', 'a"b', 'é', ''];

type Random = () => number;

/** A small linear congruential generator: the same documents on every run. */
function seeded(seed: number): Random {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function pick<Item>(random: Random, items: readonly Item[]): Item {
  return items[Math.floor(random() * items.length)] as Item;
}

function aDocument(random: Random): string {
  return anObject(random, 4);
}

function anObject(random: Random, depth: number): string {
  const members = Array.from({ length: Math.floor(random() * 6) }, () => {
    const key = escaped(random, pick(random, names));
    return `${gap(random)}${key}${gap(random)}:${gap(random)}${aValue(random, depth - 1)}${gap(random)}`;
  });
  return `{${members.join(',') || gap(random)}}`;
}

function aValue(random: Random, depth: number): string {
  const scalars = ['1.0', '-0', '1e5', '12345678901234567890', 'true', 'null', '"\\\\"', '"\\""'];
  if (depth <= 0 || random() < 0.4) {
    return random() < 0.5 ? pick(random, scalars) : escaped(random, '}{]["\\,:é\n');
  }
  if (random() < 0.6) return anObject(random, depth);
  const items = Array.from({ length: Math.floor(random() * 4) }, () => aValue(random, depth - 1));
  return `[${items.join(`${gap(random)},${gap(random)}`)}]`;
}

function escaped(random: Random, value: string): string {
  if (random() < 0.5) return JSON.stringify(value);
  const units = Array.from({ length: value.length }, (_, at) =>
    value.charCodeAt(at).toString(16).padStart(4, '0'),
  );
  return `"${units.map((unit) => `\\u${unit}`).join('')}"`;
}

function gap(random: Random): string {
  return pick(random, ['', '', ' ', '\n', '\t ', '\r\n']);
}
