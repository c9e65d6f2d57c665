/** Pairs of steps and gradients that L-BFGS remembers. */
const remembered = 10;
const maxTrials = 30;

/**
 * Logistic or softmax regression, or ridge regression when there are no classes, by L-BFGS. The penalty is
 * scikit-learn's: `l2 / 2 · |w|²` beside the sum of losses; the intercept has none.
 */
export function fitLinear({ data, target, classes, given, before, after }) {
  const outputs = classes > 2 ? classes : 1;
  const scale = given.standardize && !isSparse(data) ? scaleOf(data) : null;
  const { width, count } = data;
  const size = outputs * (width + 1);
  const objective = (weights, gradient) =>
    lossOf(weights, gradient, { data, target, classes, outputs, scale, l2: given.l2 });
  let weights = before ? Float64Array.from(before.weights) : new Float64Array(size);
  let gradient = new Float64Array(size);
  let loss = objective(weights, gradient);
  let history = (before?.history ?? []).map(({ s, y }) => ({
    s: Float64Array.from(s),
    y: Float64Array.from(y),
  }));
  let step = before?.step ?? 0;
  while (step < given.max_iter && largest(gradient) > given.tol * Math.max(1, count)) {
    const direction = twoLoops(gradient, history);
    const moved = search({
      weights,
      gradient,
      loss,
      direction,
      objective,
      isFirst: history.length === 0,
    });
    if (!moved) break;
    const s = moved.weights.map((value, at) => value - weights[at]);
    const y = moved.gradient.map((value, at) => value - gradient[at]);
    if (dot(s, y) > 1e-12) history = [...history, { s, y }].slice(-remembered);
    ({ weights, gradient, loss } = moved);
    step += 1;
    const state = () => ({
      step,
      weights: [...weights],
      history: history.map((pair) => ({ s: [...pair.s], y: [...pair.y] })),
    });
    if (after(step, loss / count, state)) return null;
  }
  return {
    weights: Array.from({ length: outputs }, (_, at) => [
      ...weights.subarray(at * (width + 1), (at + 1) * (width + 1)),
    ]),
    scale,
    loss: loss / count,
  };
}

export function scoreLinear({ weights, scale }, data) {
  const lines = [];
  for (let row = 0; row < data.count; row++) {
    lines.push(
      weights.map((one) => {
        let sum = one[data.width];
        for (let at = data.starts[row]; at < data.starts[row + 1]; at++) {
          const column = data.columns[at];
          sum +=
            one[column] *
            (scale
              ? (data.values[at] - scale.mean[column]) / scale.deviation[column]
              : data.values[at]);
        }
        return sum;
      }),
    );
  }
  return lines;
}

/** Centring would fill a matrix of words. */
const isSparse = (data) => data.values.length < data.count * data.width;

function scaleOf(data) {
  const mean = Array.from({ length: data.width }, () => 0);
  const deviation = Array.from({ length: data.width }, () => 0);
  for (let at = 0; at < data.values.length; at++)
    mean[data.columns[at]] += data.values[at] / data.count;
  for (let at = 0; at < data.values.length; at++)
    deviation[data.columns[at]] += (data.values[at] - mean[data.columns[at]]) ** 2 / data.count;
  return { mean, deviation: deviation.map((value) => Math.sqrt(value) || 1) };
}

function lossOf(weights, gradient, { data, target, classes, outputs, scale, l2 }) {
  const { width, count, starts, columns, values } = data;
  const stride = width + 1;
  gradient.fill(0);
  let loss = 0;
  const scores = new Float64Array(outputs);
  for (let row = 0; row < count; row++) {
    for (let output = 0; output < outputs; output++) {
      let sum = weights[output * stride + width];
      for (let at = starts[row]; at < starts[row + 1]; at++)
        sum += weights[output * stride + columns[at]] * scaled(values[at], columns[at], scale);
      scores[output] = sum;
    }
    loss += residuals(scores, target[row], classes);
    for (let output = 0; output < outputs; output++) {
      const residual = scores[output];
      gradient[output * stride + width] += residual;
      for (let at = starts[row]; at < starts[row + 1]; at++)
        gradient[output * stride + columns[at]] +=
          residual * scaled(values[at], columns[at], scale);
    }
  }
  for (let output = 0; output < outputs; output++)
    for (let at = 0; at < width; at++) {
      const weight = weights[output * stride + at];
      loss += (l2 / 2) * weight * weight;
      gradient[output * stride + at] += l2 * weight;
    }
  return loss;
}

const scaled = (value, column, scale) =>
  scale ? (value - scale.mean[column]) / scale.deviation[column] : value;

/** The loss of a row; scores become derivatives. */
function residuals(scores, wanted, classes) {
  if (classes === 0) {
    scores[0] -= wanted;
    return (scores[0] * scores[0]) / 2;
  }
  if (scores.length === 1) {
    const score = scores[0];
    scores[0] = 1 / (1 + Math.exp(-score)) - wanted;
    return Math.max(score, 0) - score * wanted + Math.log1p(Math.exp(-Math.abs(score)));
  }
  const top = Math.max(...scores);
  let sum = 0;
  for (const score of scores) sum += Math.exp(score - top);
  const loss = Math.log(sum) + top - scores[wanted];
  for (let at = 0; at < scores.length; at++)
    scores[at] = Math.exp(scores[at] - top) / sum - (at === wanted ? 1 : 0);
  return loss;
}

const dot = (one, other) => {
  let sum = 0;
  for (let at = 0; at < one.length; at++) sum += one[at] * other[at];
  return sum;
};
const largest = (values) => values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);

function twoLoops(gradient, history) {
  const q = gradient.map((value) => -value);
  const shares = [];
  for (const { s, y } of history.toReversed()) {
    const share = dot(s, q) / dot(s, y);
    shares.push(share);
    for (let at = 0; at < q.length; at++) q[at] -= share * y[at];
  }
  const last = history.at(-1);
  if (last) {
    const factor = dot(last.s, last.y) / dot(last.y, last.y);
    for (let at = 0; at < q.length; at++) q[at] *= factor;
  }
  history.forEach(({ s, y }, order) => {
    const share = shares[history.length - 1 - order] - dot(y, q) / dot(s, y);
    for (let at = 0; at < q.length; at++) q[at] += share * s[at];
  });
  return q;
}

/** Armijo's rule with halving, from a full step. Null when nothing is better. */
function search({ weights, gradient, loss, direction, objective, isFirst }) {
  const slope = dot(direction, gradient);
  if (slope >= 0) return null;
  let size = isFirst ? Math.min(1, 1 / Math.sqrt(-slope)) : 1;
  for (let trial = 0; trial < maxTrials; trial++) {
    const next = weights.map((value, at) => value + size * direction[at]);
    const found = new Float64Array(weights.length);
    const value = objective(next, found);
    if (value <= loss + 1e-4 * size * slope) return { weights: next, gradient: found, loss: value };
    size /= 2;
  }
  return null;
}
