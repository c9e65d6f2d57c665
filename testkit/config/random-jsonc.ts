/** A deterministic generator of numbers in [0, 1). */
function seededNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A settings object as people write it: comments, trailing commas, any indentation and line ending. */
export function randomJsonc(seed: number, section: string): string {
  const random = seededNumbers(seed);
  const pick = <Item>(items: readonly Item[]): Item =>
    // The index is inside the list.
    items[Math.floor(random() * items.length)] as Item;
  const eol = pick(['\n', '\r\n']);
  const unit = pick(['  ', '    ', '\t', '']);
  const isStrict = random() < 0.3;
  const comment = (): string => {
    if (isStrict || random() < 0.6) return '';
    return pick([' // "no": {', ' /* a, } */', ' // tutti']);
  };
  const gap = (indent: string): string =>
    random() < 0.15 && unit === '' ? '' : `${comment()}${eol}${random() < 0.1 ? eol : ''}${indent}`;
  const value = (indent: string, depth: number): string => {
    if (depth > 2 || random() < 0.4)
      return pick(['1', '-2.5e3', 'true', 'null', '"x"', '"} , // \\" é"', '[]', '{}']);
    if (random() < 0.3) return `[${value(indent, 9)},${pick([' ', ''])}${value(indent, 9)}]`;
    return object(
      indent,
      depth,
      ['a', 'b', 'env', 'tutti2', '__proto__'].slice(0, Math.floor(random() * 6)),
    );
  };
  const object = (indent: string, depth: number, keys: readonly string[]): string => {
    const inner = indent + unit;
    const isSpread = random() < 0.8;
    const before = (): string => (isSpread ? gapWithLine(inner) : pick(['', ' ']));
    const gapWithLine = (at: string): string => {
      const found = gap(at);
      return found === '' ? eol : found;
    };
    const members = keys.map((key, index) => {
      const isLast = index === keys.length - 1;
      const comma = isLast ? (isStrict || random() < 0.6 ? '' : ',') : ',';
      const content =
        key === section
          ? object(inner, depth + 1, pick([[], ['github'], ['a', 'b']]))
          : value(inner, depth + 1);
      return `${before()}"${key}":${pick(['', ' ', '  '])}${content}${comma}`;
    });
    return `{${members.join('')}${before().replaceAll(inner, indent)}}`;
  };
  const keys = pick([
    [],
    [section],
    ['a', section],
    [section, 'z'],
    ['a', 'z'],
    ['z', section, 'y'],
  ]);
  const mark = random() < 0.2 ? '\uFEFF' : '';
  const head = isStrict || random() < 0.7 ? '' : `// settings${eol}`;
  return `${mark}${head}${object('', 0, keys)}${pick(['', eol, `${eol}${eol}`])}`;
}
