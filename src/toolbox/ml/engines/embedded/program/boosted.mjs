import { createRandom } from './random.mjs';

/** The bin of values that are missing. */
const missingBin = 0;

/** Gradient-boosted trees: histograms, first and second derivatives, splits as in XGBoost. */
export function boost({ data, target, classes, given, seed, before, after }) {
  const outputs = classes > 2 ? classes : 1;
  const { count, width } = data;
  const table = binned(data, given.max_bin);
  const trees = before?.trees ?? [];
  // XGBoost starts at 0.5: probability one half, or one half as the value.
  const base = classes === 0 ? target.reduce((sum, value) => sum + value, 0) / count : 0;
  const scores = new Float64Array(count * outputs).fill(base);
  for (const round of trees)
    round.forEach((tree, output) => addTree(tree, { table, scores, output, outputs }));
  const random = createRandom(seed, 2, before?.random);
  const gradients = new Float64Array(count * outputs);
  const curvatures = new Float64Array(count * outputs);
  let loss = 0;
  for (let round = trees.length; round < given.n_estimators; round++) {
    loss = derive(scores, target, { classes, outputs, gradients, curvatures }) / count;
    const rows =
      given.subsample < 1
        ? Array.from({ length: count }, (_, row) => row).filter(
            () => random.fraction() < given.subsample,
          )
        : Array.from({ length: count }, (_, row) => row);
    const made = Array.from({ length: outputs }, (_, output) =>
      growTree({
        rows: Uint32Array.from(rows),
        table,
        width,
        given,
        outputs,
        output,
        gradients,
        curvatures,
      }),
    );
    made.forEach((tree, output) => addTree(tree, { table, scores, output, outputs }));
    trees.push(made);
    if (after(round + 1, loss, () => ({ trees, random: random.state() }))) return null;
  }
  return { trees, base, edges: table.edges, outputs, loss };
}

export function scoreTrees({ trees, base, edges, outputs }, data) {
  const table = toBins(data, edges);
  const scores = new Float64Array(data.count * outputs).fill(base);
  for (const round of trees)
    round.forEach((tree, output) => addTree(tree, { table, scores, output, outputs }));
  return Array.from({ length: data.count }, (_, row) => [
    ...scores.subarray(row * outputs, (row + 1) * outputs),
  ]);
}

/** Upper edges of bins: between values while there are few, else at quantiles. */
function binned(data, maxBins) {
  const values = Array.from({ length: data.width }, () => []);
  for (let at = 0; at < data.values.length; at++)
    if (!Number.isNaN(data.values[at])) values[data.columns[at]].push(data.values[at]);
  const isSparse = data.values.length < data.count * data.width;
  const edges = values.map((column) => {
    if (isSparse && column.length < data.count) column.push(0);
    const sorted = Float64Array.from(column).sort();
    const distinct = sorted.filter((value, at) => at === 0 || value !== sorted[at - 1]);
    if (distinct.length < maxBins)
      return Array.from(
        { length: Math.max(0, distinct.length - 1) },
        (_, at) => (distinct[at] + distinct[at + 1]) / 2,
      );
    const cuts = Array.from(
      { length: maxBins - 2 },
      (_, at) => sorted[Math.floor(((at + 1) * sorted.length) / (maxBins - 1))],
    );
    return [...new Set(cuts)];
  });
  return toBins(data, edges);
}

/** Bins of all values, column by column; 0 is missing. */
function toBins(data, edges) {
  const { count, width, starts, columns, values } = data;
  const isSparse = values.length < count * width;
  const bins = Array.from({ length: width }, (_, column) =>
    new Uint16Array(count).fill(isSparse ? binOf(0, edges[column]) : missingBin),
  );
  for (let row = 0; row < count; row++)
    for (let at = starts[row]; at < starts[row + 1]; at++)
      bins[columns[at]][row] = Number.isNaN(values[at])
        ? missingBin
        : binOf(values[at], edges[columns[at]]);
  return { bins, edges, count };
}

function binOf(value, edges) {
  let [low, high] = [0, edges.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (value < edges[middle]) high = middle;
    else low = middle + 1;
  }
  return low + 1;
}

function derive(scores, target, { classes, outputs, gradients, curvatures }) {
  let loss = 0;
  for (let row = 0; row < target.length; row++) {
    const wanted = target[row];
    if (classes === 0) {
      const residual = scores[row] - wanted;
      [gradients[row], curvatures[row]] = [residual, 1];
      loss += residual * residual;
    } else if (outputs === 1) {
      const share = 1 / (1 + Math.exp(-scores[row]));
      [gradients[row], curvatures[row]] = [share - wanted, Math.max(1e-16, share * (1 - share))];
      loss -= Math.log(Math.max(1e-15, wanted === 1 ? share : 1 - share));
    } else {
      const from = row * outputs;
      let top = -Infinity;
      for (let at = 0; at < outputs; at++) top = Math.max(top, scores[from + at]);
      let sum = 0;
      for (let at = 0; at < outputs; at++) sum += Math.exp(scores[from + at] - top);
      for (let at = 0; at < outputs; at++) {
        const share = Math.exp(scores[from + at] - top) / sum;
        gradients[from + at] = share - (at === wanted ? 1 : 0);
        curvatures[from + at] = Math.max(1e-16, 2 * share * (1 - share));
        if (at === wanted) loss -= Math.log(Math.max(1e-15, share));
      }
    }
  }
  return loss;
}

/** A tree as nodes: `{ column, bin, missingLeft, left, right }` or `{ value }`. Rows with a bin up to `bin` go left. */
function growTree(context) {
  const { given } = context;
  const grow = (rows, depth) => {
    let [g, h] = [0, 0];
    for (const row of rows) {
      g += context.gradients[row * context.outputs + context.output];
      h += context.curvatures[row * context.outputs + context.output];
    }
    const leaf = { value: (-g / (h + given.reg_lambda || 1)) * given.learning_rate };
    if (depth === given.max_depth || rows.length < 2) return leaf;
    const split = bestSplit(rows, { ...context, g, h });
    if (!split) return leaf;
    const bins = context.table.bins[split.column];
    const isLeft = (row) => (bins[row] === missingBin ? split.missingLeft : bins[row] <= split.bin);
    return {
      ...split,
      left: grow(rows.filter(isLeft), depth + 1),
      right: grow(
        rows.filter((row) => !isLeft(row)),
        depth + 1,
      ),
    };
  };
  return grow(context.rows, 0);
}

function bestSplit(rows, { table, width, given, outputs, output, gradients, curvatures, g, h }) {
  const { reg_lambda: lambda, min_child_weight: least } = given;
  const gain = (sumG, sumH) => (sumG * sumG) / (sumH + lambda || 1);
  const parent = gain(g, h);
  let best = null;
  // XGBoost takes a split whose gain, without the halving, is above gamma.
  let bestGain = Math.max(given.gamma, 1e-6);
  for (let column = 0; column < width; column++) {
    const bins = table.bins[column];
    const many = table.edges[column].length + 2;
    const [sumsG, sumsH] = [new Float64Array(many), new Float64Array(many)];
    for (const row of rows) {
      sumsG[bins[row]] += gradients[row * outputs + output];
      sumsH[bins[row]] += curvatures[row * outputs + output];
    }
    for (const missingLeft of sumsH[missingBin] > 0 ? [true, false] : [true]) {
      let [leftG, leftH] = missingLeft ? [sumsG[missingBin], sumsH[missingBin]] : [0, 0];
      for (let bin = 1; bin < many - 1; bin++) {
        leftG += sumsG[bin];
        leftH += sumsH[bin];
        if (leftH < least || h - leftH < least) continue;
        const found = gain(leftG, leftH) + gain(g - leftG, h - leftH) - parent;
        if (found > bestGain) [bestGain, best] = [found, { column, bin, missingLeft }];
      }
    }
  }
  return best;
}

function addTree(tree, { table, scores, output, outputs }) {
  for (let row = 0; row < table.count; row++) {
    let node = tree;
    while (node.value === undefined) {
      const bin = table.bins[node.column][row];
      node = (bin === missingBin ? node.missingLeft : bin <= node.bin) ? node.left : node.right;
    }
    scores[row * outputs + output] += node.value;
  }
}
