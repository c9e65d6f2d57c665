/** How likely each label is for a text; the shares add up to 1, best first. */
export type Guesses = readonly { readonly label: string; readonly share: number }[];
/** `prior` is added to a label's score: what is known before the text is read. */
export type Classify = (features: readonly string[], prior: (label: string) => number) => Guesses;

const rate = 0.38;
/** Long phrases have no more to say than short ones; below this many features there is less to go by. */
const minFeatures = 11;
const scale = 1.8;
/** How much of the advantage is taken away that labels with many phrases have. */
const balance = 0.6;
/** Scores are sharper than what was learned is sure. */
const doubt = 0.5;

/** Softmax regression (AdaGrad) over example phrases; the same phrases in the same order give the same weights. */
export function learnLabels(
  examples: ReadonlyMap<string, readonly (readonly string[])[]>,
  rounds = 3,
): Classify {
  const labels = [...examples.keys()];
  const width = labels.length;
  const index = new Map<string, number>();
  const rowOf = (feature: string): number => {
    const row = index.get(feature) ?? index.size;
    if (row === index.size) index.set(feature, row);
    return row;
  };
  const phrases = [...examples.values()].map((some) => some.map((one) => one.map(rowOf)));
  const weights = new Float32Array(index.size * width);
  const slopes = new Float32Array(index.size * width).fill(1e-6);
  // One buffer for all: learning takes most of the time of a first request.
  const shared = new Float32Array(width);
  const score = (rows: readonly number[]): Float32Array => {
    shared.fill(0);
    for (const row of rows) {
      const from = row * width;
      for (let at = 0; at < width; at += 1) shared[at] = at0(shared, at) + at0(weights, from + at);
    }
    const step = stepOf(rows);
    for (let at = 0; at < width; at += 1) shared[at] = at0(shared, at) * step;
    return shared;
  };
  const steps = new Float64Array(width);
  const adjust = (rows: readonly number[], label: number, importance: number): void => {
    const shares = toShares(score(rows));
    const weight = importance * stepOf(rows);
    for (let at = 0; at < width; at += 1) {
      steps[at] = (at0(shares, at) - (at === label ? 1 : 0)) * weight;
    }
    // Row by row, as they lie in memory: the other way round takes a quarter longer.
    for (const row of rows) {
      const from = row * width;
      for (let at = 0; at < width; at += 1) {
        const slope = steps[at] ?? 0;
        const sum = at0(slopes, from + at) + slope * slope;
        slopes[from + at] = sum;
        weights[from + at] = at0(weights, from + at) - (rate * slope) / Math.sqrt(sum);
      }
    }
  };
  const longest = Math.max(...phrases.map(({ length }) => length));
  for (let at = 0; at < rounds * longest; at += 1) {
    for (const [label, some] of phrases.entries()) {
      const rows = some[at % longest];
      if (rows) adjust(rows, label, (longest / some.length) ** balance);
    }
  }
  return (features, prior) => {
    const scores = score(features.flatMap((one) => index.get(one) ?? []));
    const shares = toShares(scores.map((sum, at) => sum * doubt + prior(labels[at] ?? '')));
    return labels
      .map((label, at) => ({ label, share: at0(shares, at) }))
      .toSorted((a, b) => b.share - a.share);
  };
}

function at0(values: Float32Array, at: number): number {
  return values[at] ?? 0;
}

function stepOf({ length }: readonly number[]): number {
  return scale / Math.sqrt(Math.max(minFeatures, length));
}

/** Changes the scores into shares, in place. */
function toShares(scores: Float32Array): Float32Array {
  let top = -Infinity;
  for (let at = 0; at < scores.length; at += 1) top = Math.max(top, at0(scores, at));
  let sum = 0;
  for (let at = 0; at < scores.length; at += 1) {
    scores[at] = Math.exp(at0(scores, at) - top);
    sum += at0(scores, at);
  }
  for (let at = 0; at < scores.length; at += 1) scores[at] = at0(scores, at) / sum;
  return scores;
}
