import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { JsonSchema } from '../../../contract/tool/index.ts';
import { fitValue, Given, neverFits } from './fit-value.ts';
import { followType } from './follow-type.ts';
import { describeKinds, kindsOf, Effort, nodeOf, type SchemaNode } from './schema-node.ts';
import { createPatternTest } from './test-pattern.ts';

const node = (schema: JsonSchema | boolean): SchemaNode => nodeOf(schema, schema);
const fitting = () => ({ effort: new Effort(), testPattern: createPatternTest() });
const misfits = (value: unknown, schema: JsonSchema | boolean): string[] =>
  fitValue(value, node(schema), fitting()).map(
    ({ at, is, message }) => `${at.join('.')} ${is}: ${message}`,
  );
const conflict = (source: JsonSchema | boolean, target: JsonSchema | boolean) =>
  neverFits(node(source), node(target), fitting());

/** A small generator: same seed, same sequence. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % below;
  };
}

type Random = ReturnType<typeof randomFrom>;

const words = ['a', 'b', 'abc', 'x y', ''];
const values: readonly unknown[] = [
  null,
  true,
  false,
  0,
  1,
  -3,
  2.5,
  7,
  ...words,
  [],
  ['a'],
  [1, 2],
  [null],
  {},
  { a: 1 },
  { a: 'b', b: 2 },
  { b: [] },
  { c: null },
];
const pick = <Item>(items: readonly Item[], random: Random): Item | undefined =>
  items[random(items.length)];

function randomSchema(random: Random, depth: number): JsonSchema {
  const inner = (): JsonSchema => randomSchema(random, depth - 1);
  const makers: (() => JsonSchema)[] = [
    () => ({ type: 'string' }),
    () => ({ type: 'string', minLength: 1, maxLength: 1 + random(3) }),
    () => ({ type: 'string', pattern: '^[ab]' }),
    () => ({ type: 'integer', minimum: -1 }),
    () => ({ type: 'number', maximum: 5 }),
    () => ({ type: 'boolean' }),
    () => ({ type: 'null' }),
    () => ({ enum: ['a', 'b'] }),
    () => ({ const: pick([1, 'abc', true], random) }),
  ];
  const nesting: (() => JsonSchema)[] = [
    () => ({ type: 'array', items: inner() }),
    () => ({ type: 'array', items: inner(), minItems: 1, maxItems: 2 }),
    () => ({
      type: 'object',
      properties: { a: inner(), b: inner() },
      required: ['a'],
      additionalProperties: false,
    }),
    () => ({ type: 'object', properties: { a: inner() } }),
    () => ({ type: 'object', additionalProperties: inner() }),
    () => ({ anyOf: [inner(), inner()] }),
    () => ({ allOf: [inner(), inner()] }),
  ];
  return pick(depth > 0 ? [...makers, ...nesting, ...nesting] : makers, random)?.() ?? {};
}

describe('a value and a schema', () => {
  it('fit just when another implementation of JSON Schema says so', () => {
    const random = randomFrom(5);
    let [fits, fails] = [0, 0];
    for (let round = 0; round < 400; round += 1) {
      const schema = randomSchema(random, 3);
      const reference = z.fromJSONSchema(schema);
      for (const value of values) {
        const isValid = reference.safeParse(value).success;
        if (isValid) fits += 1;
        else fails += 1;
        expect(misfits(value, schema).length === 0, JSON.stringify({ schema, value })).toBe(
          isValid,
        );
      }
    }
    expect(fits).toBeGreaterThan(500);
    expect(fails).toBeGreaterThan(500);
  });

  it.each<[string, unknown, JsonSchema, string]>([
    ['a wrong type', 5, { type: 'string' }, ' value: must be a text, and is 5'],
    [
      'several types',
      'x',
      { type: ['number', 'null'] },
      ' value: must be a number or null, and is "x"',
    ],
    ['a wrong constant', 2, { const: 1 }, ' value: must be 1, and is 2'],
    [
      'a misspelt choice',
      'hihg',
      { enum: ['low', 'high'] },
      ' value: must be one of "low", "high", and is "hihg"; did you mean "high"?',
    ],
    ['a field too few', { b: 1 }, { required: ['a'] }, 'a missing: is required, and is missing'],
    [
      'a field too many',
      { lenght: 1 },
      { properties: { length: {} }, additionalProperties: false },
      'lenght unknown: is not known; did you mean "length"?',
    ],
    ['a number that is too small', 1, { minimum: 2 }, ' value: must be at least 2, and is 1'],
    [
      'a number at an open end',
      2,
      { exclusiveMaximum: 2 },
      ' value: must be less than 2, and is 2',
    ],
    [
      'a number off the steps',
      0.35,
      { multipleOf: 0.1 },
      ' value: must be a multiple of 0.1, and is 0.35',
    ],
    ['an empty text', '', { minLength: 1 }, ' value: must have at least 1 character, and is empty'],
    ['a short text', 'a', { minLength: 2 }, ' value: must have at least 2 characters, and has 1'],
    ['a long text', 'abc', { maxLength: 2 }, ' value: must have at most 2 characters, and has 3'],
    [
      'a text of another form',
      'x',
      { pattern: '^\\d+$' },
      ' value: must match the pattern ^\\d+$, and is "x"',
    ],
    ['a long list', [1, 2], { maxItems: 1 }, ' value: must have at most 1 element, and has 2'],
    [
      'an element of its place',
      [1, 'a'],
      { prefixItems: [{ type: 'string' }] },
      '0 value: must be a text, and is 1',
    ],
    [
      'an element too many',
      ['a', 1],
      { prefixItems: [{ type: 'string' }], items: false },
      '1 value: is one element too many',
    ],
    [
      'none of several kinds',
      true,
      { anyOf: [{ type: 'string' }, { type: 'number' }] },
      ' value: must be a number or a text, and is true',
    ],
    [
      'the alternative that was meant',
      { kind: 'a', n: 'x' },
      { oneOf: [{ type: 'string' }, { type: 'object', properties: { n: { type: 'number' } } }] },
      'n value: must be a number, and is "x"',
    ],
    [
      'a schema elsewhere in the document',
      { a: 1 },
      { properties: { a: { $ref: '#/$defs/t' } }, $defs: { t: { type: 'string' } } },
      'a value: must be a text, and is 1',
    ],
  ])('say what is wrong: %s', (_what, value, schema, message) => {
    expect(misfits(value, schema)).toEqual([message]);
  });

  it('fit where a multiple has rounding errors, and characters count as people count them', () => {
    expect(misfits(0.3, { multipleOf: 0.1 })).toEqual([]);
    expect(misfits('👍👍', { maxLength: 2 })).toEqual([]);
  });

  it('take keywords, references and types they do not know as fulfilled', () => {
    expect(misfits(1, { type: 'decimal' })).toEqual([]);
    expect(misfits(1, { $ref: 'https://example.org/x' })).toEqual([]);
    expect(misfits(1, { $ref: '#/$defs/gone' })).toEqual([]);
    expect(misfits(1, { $ref: '#/%E0%A4%A' })).toEqual([]);
    expect(misfits('x', { pattern: '(' })).toEqual([]);
    expect(misfits(1, { properties: 5, items: 'x', enum: 'y', anyOf: 3 })).toEqual([]);
    expect(misfits([1], { prefixItems: [] })).toEqual([]);
  });

  it('end on schemas that contain themselves or branch without end', () => {
    const loop = {
      $defs: {
        a: { anyOf: [{ $ref: '#/$defs/a' }, { allOf: [{ $ref: '#/$defs/a' }, { $ref: '#' }] }] },
      },
      $ref: '#/$defs/a',
    };
    const startedAt = performance.now();
    expect(misfits({ a: [1] }, loop)).toEqual([]);
    expect(conflict(loop, { type: 'string' })).toBeUndefined();
    expect(followType(node(loop), ['a', 'b']).is).toBe('found');
    expect(performance.now() - startedAt).toBeLessThan(3_000);
    const tree = {
      type: 'object',
      properties: { next: { $ref: '#' } },
      additionalProperties: false,
    };
    expect(misfits({ next: { next: { other: 1 } } }, tree)).toEqual([
      'next.next.other unknown: is not known; known: "next"',
    ]);
  });

  it('do not hang on a pattern made to hang', () => {
    const startedAt = performance.now();
    expect(misfits(`${'a'.repeat(40)}!`, { pattern: '^(a+)+$' })).toEqual([]);
    expect(misfits('aab', { pattern: '^(a+)+$' })).toHaveLength(1);
    expect(misfits('aaa', { pattern: '^(a+)+$' })).toEqual([]);
    expect(misfits(`${'a'.repeat(60)}!`, { pattern: '^(a|a)*$' })).toEqual([]);
    expect(misfits('x'.repeat(20_000), { pattern: '^y' })).toEqual([]);
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });

  it('give patterns up after a few that hung', () => {
    const testPattern = createPatternTest();
    const slow = (index: number): boolean | undefined =>
      testPattern(`^(${'a'.repeat(index)}a*a*)+$`, `${'a'.repeat(60)}!`);
    expect([1, 2, 3].map(slow)).toEqual([undefined, undefined, undefined]);
    expect(testPattern('^(b+)+$', 'c')).toBeUndefined();
    expect(testPattern('^b', 'c')).toBe(false);
  });
});

describe('what a reference gives and what its place takes', () => {
  it('never fit only when no value fits both', () => {
    const random = randomFrom(11);
    let conflicts = 0;
    for (let round = 0; round < 3_000; round += 1) {
      const [source, target] = [randomSchema(random, 2), randomSchema(random, 2)];
      const found = conflict(source, target);
      if (!found) continue;
      conflicts += 1;
      for (const value of values) {
        if (found.isEmptyOnly && JSON.stringify(value).includes('[]')) continue;
        const fitsBoth = misfits(value, source).length === 0 && misfits(value, target).length === 0;
        expect(fitsBoth, JSON.stringify({ source, target, value, found })).toBe(false);
      }
    }
    expect(conflicts).toBeGreaterThan(500);
  });

  const closed = {
    type: 'object',
    properties: { a: { type: 'string' } },
    required: ['a'],
    additionalProperties: false,
  };
  it.each<[JsonSchema | boolean, JsonSchema | boolean, string | undefined]>([
    [{ type: 'integer' }, { type: 'number' }, undefined],
    [{ type: 'number' }, { type: 'integer' }, undefined],
    [{ type: ['string', 'null'] }, { type: 'string' }, undefined],
    [true, { type: 'string' }, undefined],
    [false, { type: 'string' }, undefined],
    [{ type: 'string' }, { type: 'integer' }, 'must be a whole number, and is a text'],
    [{ enum: ['x'] }, { enum: ['a', 'b'] }, 'must be one of "a", "b", and is one of "x"'],
    [
      { type: 'string', maxLength: 2 },
      { enum: ['abc'] },
      'must be one of "abc", and can be none of them',
    ],
    [
      { type: 'integer', minimum: 9 },
      { type: 'integer', maximum: 5 },
      'must be at most 5, and is at least 9',
    ],
    [
      { type: 'integer', maximum: 1 },
      { type: 'integer', minimum: 5 },
      'must be at least 5, and is at most 1',
    ],
    [closed, { type: 'object', required: ['b'] }, 'needs a field "b", which it never has'],
    [{ type: 'object', required: ['b'] }, closed, 'must not have a field "b", which it always has'],
    [
      { ...closed, properties: { a: { type: 'number' } } },
      closed,
      'does not fit: its field "a" must be a text, and is a number',
    ],
    [
      { type: 'array', minItems: 1, items: { type: 'string' } },
      { type: 'array', items: { type: 'number' } },
      'is a list whose elements do not fit: each must be a number, and is a text',
    ],
    [
      { anyOf: [{ type: 'string' }, { type: 'boolean' }] },
      { type: 'number' },
      'must be a number, and is a text or true or false',
    ],
    [{ type: 'string' }, { anyOf: [{ type: 'number' }, { enum: ['a'] }] }, undefined],
  ])('%j into %j', (source, target, message) => {
    expect(conflict(source, target)?.message).toBe(message);
  });

  it('fit as an empty list where only the elements differ', () => {
    expect(
      conflict(
        { type: 'array', items: { type: 'string' } },
        { type: 'array', items: { type: 'number' } },
      )?.isEmptyOnly,
    ).toBe(true);
  });

  it('name the reference', () => {
    const given = new Given(node({ type: 'integer' }), '${a.n}');
    expect(misfits({ x: [given] }, { properties: { x: { items: { type: 'string' } } } })).toEqual([
      'x.0 type: must be a text, and is a whole number (${a.n})',
    ]);
  });
});

describe('a path into a type', () => {
  const output = {
    type: 'object',
    properties: {
      list: {
        type: 'array',
        items: {
          type: 'object',
          properties: { name: { type: 'string' } },
          additionalProperties: false,
        },
      },
      pair: { type: 'array', prefixItems: [{ type: 'string' }], items: false },
      either: {
        anyOf: [
          { type: 'object', properties: { x: {} }, additionalProperties: false },
          { type: 'null' },
        ],
      },
      both: {
        allOf: [
          { properties: { p: { type: 'string' } } },
          { properties: { q: { type: 'number' } } },
        ],
      },
      open: { type: 'object', properties: { known: {} } },
      free: { type: 'object' },
      map: { type: 'object', additionalProperties: { type: 'number' } },
      patterns: { type: 'object', patternProperties: { '^x': {} }, additionalProperties: false },
    },
    additionalProperties: false,
  };
  it.each<[(string | number)[], string]>([
    [['list', 0, 'name'], 'a text'],
    [['map', 'anything'], 'a number'],
    [['both', 'p'], 'a text'],
    [['both', 'q'], 'a number'],
    [['either', 'x'], 'anything'],
    [['free', 'x', 'y', 3], 'anything'],
    [['patterns', 'y'], 'anything'],
    [['pair', 0], 'a text'],
    [['map', 5], 'anything'],
  ])('%j leads to %s', (path, kinds) => {
    const followed = followType(node(output), path);
    expect(followed.is === 'found' && describeKinds(kindsOf(followed.node, new Effort()))).toBe(
      kinds,
    );
  });

  it.each<[(string | number)[], 'absent' | 'unlisted', number]>([
    [['lst'], 'absent', 1],
    [['list', 'name'], 'absent', 2],
    [['list', 0, 'nam'], 'absent', 3],
    [['list', 0, 'name', 'x'], 'absent', 4],
    [['pair', 1], 'absent', 2],
    [['either', 'y'], 'absent', 2],
    [['open', 'knwon'], 'unlisted', 2],
    [['both', 'r'], 'unlisted', 2],
  ])('%j is %s', (path, is, length) => {
    expect(followType(node(output), path)).toMatchObject({ is, length });
  });
});
