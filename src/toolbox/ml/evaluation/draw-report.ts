import type { StoredDataset } from '../dataset/dataset-store.ts';
import { jobFolderOf, readEvents } from '../jobs/job-folder.ts';
import type { MlParts } from '../ml-ports.ts';
import type { FoundModel } from '../models/find-base.ts';
import { lossesOf } from '../models/store-result.ts';
import type { Verdict } from './paired-tests.ts';
import type { Scores } from './score-model.ts';

export interface ReportModel {
  readonly name: string;
  readonly model: FoundModel;
  readonly scores: Scores;
}

interface Report {
  readonly compared: readonly ReportModel[];
  readonly verdict: Verdict;
  readonly better: string | null;
  readonly dataset: StoredDataset;
}

const megabyte = 1e6;

/** One HTML page without scripts: the verdict, the lineage of both models, and plots as SVG. */
export async function drawReport(
  parts: Pick<MlParts, 'home' | 'models'>,
  { compared, verdict, better, dataset }: Report,
): Promise<string> {
  const measure =
    compared[0]?.scores.measure === 'loss'
      ? 'loss'
      : compared[0]?.scores.measure === 'error'
        ? 'mean_absolute_error'
        : 'accuracy';
  const curves = await Promise.all(
    compared.map(async ({ name, model }) => {
      const key = model.version?.card.run.key;
      const events = key === undefined ? [] : await readEvents(jobFolderOf(parts.home, key));
      return { name, points: lossesOf(events).map(({ step, loss }) => ({ x: step, y: loss })) };
    }),
  );
  const trained = curves.filter(({ points }) => points.length > 1);
  const bars = compared.map(({ name, scores }) => ({
    name,
    value: scores.metrics[measure]?.value ?? NaN,
    low: scores.metrics[measure]?.low ?? null,
    high: scores.metrics[measure]?.high ?? null,
  }));
  const sizes = compared.map(({ name, model }) => ({
    name,
    value: model.files.files.reduce((sum, { bytes }) => sum + bytes, 0) / megabyte,
    low: null,
    high: null,
  }));
  const title = better === null ? 'No sure difference' : `${better} is better`;
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Comparison of models</title>',
    '<style>body{font:15px/1.5 system-ui,sans-serif;max-width:860px;margin:2rem auto;padding:0 1rem;color:#1c2733}table{border-collapse:collapse}td,th{padding:.2rem .8rem .2rem 0;text-align:left;vertical-align:top}code{font-size:13px}</style></head><body>',
    `<h1>${escapeText(title)}</h1><p>${escapeText(verdict.because)}.</p>`,
    drawBars({ title: `${measure} on the test split, with 95 % intervals`, unit: '', bars }),
    drawBars({ title: 'Size of the files', unit: 'MB', bars: sizes }),
    trained.length > 0
      ? drawCurves({ title: 'Loss while training', x: 'step', y: 'loss', curves: trained })
      : '',
    lineageTable(compared, dataset),
    '</body></html>',
  ].join('\n');
}

function lineageTable(compared: readonly ReportModel[], { id, card }: StoredDataset): string {
  const rows = compared.map(({ name, model }) => {
    const made = model.version?.card;
    const from = made
      ? `${made.origin} from ${[...made.parents, made.dataset?.source ?? ''].filter(Boolean).join(' and ')}`
      : 'a folder of the project';
    const by = made
      ? `${made.engine.name} ${made.engine.version}, seed ${made.seed}, run ${made.run.key.slice(0, 12)}`
      : '';
    return `<tr><td>${escapeText(name)}</td><td>${escapeText(from)}</td><td>${escapeText(by)}</td></tr>`;
  });
  const tested = `Tested on ${card.source} (${card.splits.test?.rows ?? card.splits.train?.rows ?? 0} rows, dataset `;
  return `<h2>Lineage</h2><table><tr><th>Model</th><th>Made</th><th>By</th></tr>${rows.join('')}</table><p>${escapeText(tested)}<code>${id.slice(0, 19)}</code>).</p>`;
}

/** Plots as SVG, without a library: two kinds are all that a report needs. */

const width = 820;
const left = 225;
const right = 110;
const barHeight = 26;
const rowHeight = 40;
const top = 44;
const colours = ['#2f6fde', '#d9622b', '#2a9d6f', '#8a4fc7'];
const ticks = 5;

interface Bar {
  readonly name: string;
  readonly value: number;
  readonly low: number | null;
  readonly high: number | null;
}

function escapeText(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

const frame = (height: number, title: string, body: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="system-ui,sans-serif" font-size="13" role="img" aria-label="${escapeText(title)}"><rect width="100%" height="100%" fill="#fff"/><text x="16" y="26" font-size="15" font-weight="600" fill="#1c2733">${escapeText(title)}</text>${body}</svg>`;

/** Horizontal bars from zero, with their intervals as whiskers. */
function drawBars({
  title,
  unit,
  bars,
}: {
  readonly title: string;
  readonly unit: string;
  readonly bars: readonly Bar[];
}): string {
  const most = Math.max(
    ...bars.flatMap(({ value, high }) => [value, high ?? 0]).filter(Number.isFinite),
    1e-9,
  );
  const x = (value: number): number => left + (Math.max(0, value) / most) * (width - left - right);
  const rows = bars.map(({ name, value, low, high }, at) => {
    const y = top + at * rowHeight;
    const middle = y + barHeight / 2;
    const hasInterval = low !== null && high !== null;
    const whisker = hasInterval
      ? `<path d="M${x(low)} ${middle}H${x(high)}M${x(low)} ${middle - 6}v12M${x(high)} ${middle - 6}v12" stroke="#1c2733" stroke-width="1.5" fill="none"/>`
      : '';
    const end = x(Math.max(value, high ?? 0)) + 8;
    return `<text x="${left - 10}" y="${middle + 4}" text-anchor="end" fill="#1c2733">${escapeText(shorten(name))}</text><rect x="${left}" y="${y}" width="${(x(value) - left).toFixed(1)}" height="${barHeight}" rx="3" fill="${colours[at % colours.length]}"/>${whisker}<text x="${end.toFixed(1)}" y="${middle + 4}" fill="#1c2733">${formatNumber(value)}${unit === '' ? '' : ` ${unit}`}</text>`;
  });
  return frame(top + bars.length * rowHeight + 8, title, rows.join(''));
}

interface Curve {
  readonly name: string;
  readonly points: readonly { readonly x: number; readonly y: number }[];
}

/** Lines over steps, with axes whose ends are the data's. */
function drawCurves({
  title,
  x: xName,
  y: yName,
  curves,
}: {
  readonly title: string;
  readonly x: string;
  readonly y: string;
  readonly curves: readonly Curve[];
}): string {
  const height = 320;
  const box = { left: 70, right: width - 30, top: 48, bottom: height - 62 };
  const points = curves.flatMap((curve) => curve.points);
  const xs = extent(points.map(({ x }) => x));
  const ys = extent(points.map(({ y }) => y));
  const toX = (value: number): number =>
    box.left + ((value - xs.low) / xs.range) * (box.right - box.left);
  const toY = (value: number): number =>
    box.bottom - ((value - ys.low) / ys.range) * (box.bottom - box.top);
  const grid = Array.from({ length: ticks }, (_, at) => {
    const y = ys.low + (ys.range * at) / (ticks - 1);
    const x = xs.low + (xs.range * at) / (ticks - 1);
    return `<path d="M${box.left} ${toY(y).toFixed(1)}H${box.right}" stroke="#e3e8ee"/><text x="${box.left - 8}" y="${(toY(y) + 4).toFixed(1)}" text-anchor="end" fill="#5b6875">${formatNumber(y)}</text><text x="${toX(x).toFixed(1)}" y="${box.bottom + 18}" text-anchor="middle" fill="#5b6875">${formatNumber(Math.round(x))}</text>`;
  });
  const lines = curves.map(({ name, points: own }, at) => {
    const colour = colours[at % colours.length];
    const path = own
      .map(
        ({ x, y }, index) => `${index === 0 ? 'M' : 'L'}${toX(x).toFixed(1)} ${toY(y).toFixed(1)}`,
      )
      .join('');
    const legend = `<rect x="${box.left + at * 240}" y="${height - 26}" width="12" height="12" rx="2" fill="${colour}"/><text x="${box.left + at * 240 + 18}" y="${height - 16}" fill="#1c2733">${escapeText(shorten(name))}</text>`;
    return `<path d="${path}" stroke="${colour}" stroke-width="2" fill="none"/>${legend}`;
  });
  const names = `<text x="${box.right}" y="${box.bottom + 34}" text-anchor="end" fill="#5b6875">${escapeText(xName)}</text><text x="${box.left - 8}" y="${box.top - 10}" text-anchor="end" fill="#5b6875">${escapeText(yName)}</text>`;
  return frame(height, title, grid.join('') + names + lines.join(''));
}

const maxNameChars = 26;

function shorten(name: string): string {
  return name.length <= maxNameChars ? name : `…${name.slice(1 - maxNameChars)}`;
}

function extent(values: readonly number[]): { low: number; range: number } {
  const low = Math.min(...values);
  const high = Math.max(...values);
  return { low, range: high - low || 1 };
}

function formatNumber(value: number): string {
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(4)));
}
