/** `make proof` sets TUTTI_PROOF=1: full counts. Otherwise long proofs run on a seeded sample. */
export const isProof = process.env['TUTTI_PROOF'] === '1';

/** In CI a missing reference tool or corpus is a failure; elsewhere its test is skipped with a reason. */
export const isCi = process.env['CI'] === 'true';

/** A deterministic generator of numbers in [0, 1): same seed, same sequence, on every machine. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** All items in a proof, otherwise `count` of them, the same ones every time. */
export function sampleSeeded<Item>(items: readonly Item[], count: number, seed = 1): Item[] {
  if (isProof || items.length <= count) return [...items];
  const random = seededRandom(seed);
  return items
    .map((item) => ({ item, order: random() }))
    .sort((a, b) => a.order - b.order)
    .slice(0, count)
    .map(({ item }) => item);
}
