import type { StoredDataset } from '../dataset/dataset-store.ts';
import { jobFolderOf, readEvents } from '../jobs/job-folder.ts';
import type { MlParts } from '../ml-ports.ts';
import type { FoundModel } from '../models/find-base.ts';
import { lossesOf } from '../models/store-result.ts';
import type { Verdict } from './compare.ts';
import { drawBars, drawCurves, escapeText } from './draw-svg.ts';
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
