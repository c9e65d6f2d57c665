import { describe, expect, it } from 'vitest';
import type { Json } from '../../contract/plan/index.ts';
import type { Held } from '../engine/activity-data.ts';
import {
  fillHoles,
  parseTemplate,
  readTemplate,
  resolveTemplate,
  type Lookup,
} from './template.ts';

const values: Readonly<Record<string, Json>> = {
  a: { n: 3, ok: true, none: null, list: [1, { x: 'deep' }], 'odd name': 7, text: 'words' },
  input: { who: 'Ann' },
};

const lookup: Lookup = (root) =>
  Object.hasOwn(values, root) ? { value: values[root] ?? null } : undefined;

const big = { id: 'sha256:b1', bytes: 9, mediaType: 'application/json' };
const fromArtifact: Lookup = (root) =>
  root === 'big' ? { artifact: big, path: [] } : lookup(root);

function resolve(source: Json): Json {
  return resolveTemplate(parseTemplate(source), lookup).value;
}

describe('a template', () => {
  it.each<[Json, Json]>([
    ['${a.n}', 3],
    ['${a.ok}', true],
    ['${a.none}', null],
    ['${a.list}', [1, { x: 'deep' }]],
    ['${ a.list[1].x }', 'deep'],
    ['${a["odd name"]}', 7],
    ["${a['odd name']}", 7],
    ['${a.list.length}', 2],
    ['n is ${a.n}', 'n is 3'],
    ['${a.n}${a.text}', '3words'],
    ['${a.list} and ${a.none}', '[1,{"x":"deep"}] and null'],
    ['$${a.n}', '${a.n}'],
    ['$${a} ${input.who} $${b}', '${a} Ann ${b}'],
    ['costs 5$', 'costs 5$'],
    ['$$ and $', '$$ and $'],
    [
      { x: ['${a.n}', { y: 'to ${input.who}' }], z: 1 },
      { x: [3, { y: 'to Ann' }], z: 1 },
    ],
    [null, null],
    [12, 12],
  ])('%j becomes %j', (source, expected) => {
    expect(resolve(source)).toEqual(expected);
  });

  it('hands a value without references on as it is', () => {
    const source = { a: [1, 2, { b: 'c' }] };
    expect(resolveTemplate(parseTemplate(source), lookup).value).toBe(source);
  });

  it('knows the place of each reference, and whether it is the whole text', () => {
    const { places, references } = parseTemplate({ x: ['${a.n}', 'on ${b[0]}'] });
    expect(places).toEqual([
      { at: ['x', 0], reference: { root: 'a', path: ['n'] }, isWhole: true },
      { at: ['x', 1], reference: { root: 'b', path: [0] }, isWhole: false },
    ]);
    expect(references).toHaveLength(2);
  });

  it.each([
    ['${}', 'it is empty'],
    ['${1a}', 'must begin with the id of a step'],
    ['${a', 'its "}" is missing'],
    ['${a.}', 'behind "." a name is wanted'],
    ['${a[x]}', 'a number or a name in quotes'],
    ['${a["x}', 'a quote is not closed'],
    ['${a["\\q"]}', 'the name in quotes cannot be read'],
    ['${a["x"}', '"]" is missing'],
    ['${a b}', '"b" is not expected'],
    [`\${a${'.b'.repeat(100)}}`, 'at most 64 parts'],
  ])('refuses %s', (source, reason) => {
    expect(() => parseTemplate([source])).toThrow(reason);
  });

  it('says what is wrong at all places at once', () => {
    const { problems } = readTemplate({ a: '${', b: ['${x y}'] });
    expect(problems.map(({ at }) => at)).toEqual([['a'], ['b', 0]]);
  });

  it('refuses what is nested too deep, however deep', () => {
    let source: Json = 'x';
    for (let depth = 0; depth < 10_000; depth += 1) source = [source];
    expect(() => parseTemplate(source)).toThrow('nested more than 100 deep');
  });

  it.each([
    ['${gone.x}', 'there is no value of "gone"'],
    ['${a.gone}', 'the value of "a" has no gone'],
    ['${a.n.x}', 'has no n.x'],
    ['${a.list[9]}', 'has no list[9]'],
    ['${a.list.push}', 'has no list.push'],
    ['${a.toString}', 'has no toString'],
    ['${a.__proto__}', 'has no __proto__'],
    ['${a.text.length}', 'has no text.length'],
  ])('finds nothing behind %s', (source, reason) => {
    expect(() => resolve(source)).toThrow(reason);
  });

  it('keeps a key "__proto__" a key', () => {
    const source: Json = JSON.parse('{"__proto__": {"polluted": "${a.n}"}}');
    const value = resolve(source);
    expect(JSON.stringify(value)).toBe('{"__proto__":{"polluted":3}}');
    expect(Object(value).polluted).toBeUndefined();
  });

  it('takes time linear in a text of many references', () => {
    const source = '${a.n}'.repeat(100_000);
    expect(resolve(source)).toBe('3'.repeat(100_000));
    expect(() => resolve('${'.repeat(200_000))).toThrow('is no reference');
  });
});

describe('values in artifacts', () => {
  const load = async (id: string): Promise<Json> => {
    expect(id).toBe(big.id);
    return { rows: [10, 20], name: 'N' };
  };

  it('leave holes, with a longer path where a reference leads into them', () => {
    const { value, holes } = resolveTemplate(
      parseTemplate({ all: '${big}', part: ['${big.rows[1]}'], text: '${a.n}: ${big.name}' }),
      fromArtifact,
    );
    expect(value).toEqual({ all: null, part: [null], text: null });
    const held = (path: (string | number)[]): Held => ({ artifact: big, path });
    expect(holes).toEqual([
      { at: ['all'], parts: [held([])] },
      { at: ['part', 0], parts: [held(['rows', 1])] },
      { at: ['text'], parts: ['3', ': ', held(['name'])] },
    ]);
  });

  it('are put into the holes when they are used, and the rest is not touched', async () => {
    const source = { all: '${big}', part: ['${big.rows[1]}', 'x'], text: '${a.n}: ${big.name}' };
    const resolved = resolveTemplate(parseTemplate(source), fromArtifact);
    const before = JSON.stringify(resolved);
    expect(await fillHoles(resolved, load)).toEqual({
      all: { rows: [10, 20], name: 'N' },
      part: [20, 'x'],
      text: '3: N',
    });
    expect(JSON.stringify(resolved)).toBe(before);
  });

  it('may be all there is', async () => {
    expect(
      await fillHoles(resolveTemplate(parseTemplate('${big.rows}'), fromArtifact), load),
    ).toEqual([10, 20]);
    expect(await fillHoles({ value: 5 }, load)).toBe(5);
  });

  it('may lie within a value, as the elements of a list do', async () => {
    const place: Held = { artifact: big, path: ['rows'] };
    const value: Json = [{ ok: true }, null, { text: null }];
    const holes = [
      { at: [1], parts: [place] },
      { at: [2, 'text'], parts: ['n: ', place] },
    ];
    const within: Lookup = (root) => (root === 'list' ? { value, holes } : fromArtifact(root));
    const filled = async (source: Json) =>
      fillHoles(resolveTemplate(parseTemplate(source), within), load);
    expect(await filled('${list}')).toEqual([{ ok: true }, [10, 20], { text: 'n: [10,20]' }]);
    expect(await filled({ x: ['${list[0].ok}'] })).toEqual({ x: [true] });
    expect(await filled('${list[1][0]}')).toBe(10);
    expect(await filled('${list[2]}')).toEqual({ text: 'n: [10,20]' });
    expect(await filled('${list[2].text}')).toBe('n: [10,20]');
    expect(await filled('all: ${list}')).toBe('all: [{"ok":true},[10,20],{"text":"n: [10,20]"}]');
    await expect(filled('${list[2].text.x}')).rejects.toThrow('has no [2].text.x');
    await expect(filled('${list[0].gone}')).rejects.toThrow('has no [0].gone');
  });

  it('that lack what a reference wants are an error', async () => {
    const resolved = resolveTemplate(parseTemplate(['${big.rows[7]}']), fromArtifact);
    await expect(fillHoles(resolved, load)).rejects.toThrow('rows[7] leads to nothing');
  });

  it('make no text without an end', async () => {
    const long = 'x'.repeat(40_000_000);
    const resolved = resolveTemplate(parseTemplate('${big} ${big}'), fromArtifact);
    await expect(fillHoles(resolved, async () => long)).rejects.toThrow('67108864 characters');
  });
});
