export type Random = () => number;

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export function choose<Item>(items: readonly Item[], random: Random): Item {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error('nothing to choose from');
  return item;
}

export function shuffled<Item>(items: readonly Item[], random: Random): Item[] {
  return items
    .map((item) => ({ item, order: random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ item }) => item);
}

const innermost = /\{([^{}]*)\}/;
const maxReplacements = 100;

/** Replaces `{a|b}` by one of both and `{name}` by its value, from the inside out. */
export function expand(
  line: string,
  random: Random,
  values: Readonly<Record<string, string>> = {},
  banks: Readonly<Record<string, readonly string[]>> = {},
): string {
  let text = line;
  for (let count = 0; count < maxReplacements; count += 1) {
    const found = innermost.exec(text);
    if (!found) return text;
    const inside = found[1] ?? '';
    const bank = banks[inside];
    const value = inside.includes('|')
      ? choose(inside.split('|'), random)
      : (values[inside] ?? (bank ? choose(bank, random) : undefined));
    if (value === undefined) throw new Error(`"${line}" has an unknown slot "${inside}"`);
    text = text.slice(0, found.index) + value + text.slice(found.index + found[0].length);
  }
  throw new Error(`"${line}" does not end`);
}
