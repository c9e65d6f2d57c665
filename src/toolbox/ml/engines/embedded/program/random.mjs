/** sfc32: four words of state, the same numbers in every language that has 32-bit integers. */
export function createRandom(seed, stream = 0, state) {
  let [a, b, c, d] = state ?? [seed >>> 0, Math.floor(seed / 2 ** 32) >>> 0, stream >>> 0, 1];
  const next = () => {
    const sum = (a + b + d) >>> 0;
    d = (d + 1) >>> 0;
    a = (b ^ (b >>> 9)) >>> 0;
    b = (c + (c << 3)) >>> 0;
    c = ((c << 21) | (c >>> 11)) >>> 0;
    c = (c + sum) >>> 0;
    return sum;
  };
  if (!state) for (let round = 0; round < 15; round++) next();
  return {
    next,
    below: (count) => Math.floor((next() * count) / 2 ** 32),
    /** In [0, 1). */
    fraction: () => next() / 2 ** 32,
    state: () => [a, b, c, d],
  };
}

/** The numbers below `count` in random order. */
export function shuffled(count, random) {
  const order = Uint32Array.from({ length: count }, (_, at) => at);
  for (let at = count - 1; at > 0; at--) {
    const other = random.below(at + 1);
    [order[at], order[other]] = [order[other], order[at]];
  }
  return order;
}
