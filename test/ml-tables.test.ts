import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { TrainJob } from '../src/contract/ml/index.ts';
import { createEmbeddedEngine } from '../src/toolbox/ml/engines/index.ts';
import { writeRows } from '../testkit/ml/tiny-llama.ts';
import { bubblewrapMissing, whyNoBubblewrap } from '../testkit/sandbox/this-machine.ts';
import { watchIn } from './support/ml/finetune-job.ts';
import { openEngines } from './support/ml/open-engines.ts';

/** What scikit-learn and XGBoost score on the same splits; `scripts/make-ml-tables.py` wrote it. */
const { tables }: { tables: Record<string, Record<'linear' | 'boosted', number>> } = JSON.parse(
  readFileSync('test/data/ml/reference.json', 'utf8'),
);
const tolerance = { linear: 0.5, boosted: 1.5 };

describe.skipIf(bubblewrapMissing)(`models for tables${whyNoBubblewrap}`, () => {
  const opened = openEngines();
  const engine = createEmbeddedEngine(opened.context);
  const frame = {
    seed: 1,
    threads: 1,
    limits: { wallMs: 300_000, memoryBytes: 2e9, diskBytes: 1e8 },
  };
  afterAll(() => opened.close());

  function jobOn(table: string, algorithm: 'linear' | 'boosted'): TrainJob {
    const rows = readFileSync(`test/data/ml/${table}.csv`, 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split(','));
    const of = (split: string): object[] =>
      rows
        .filter(([name]) => name === split)
        .map(([, label, ...values]) => ({
          label,
          ...Object.fromEntries(values.map((value, at) => [`x${at}`, Number(value)])),
        }));
    const data = {
      train: writeRows(join(opened.folder, `${table}.train.jsonl`), of('train')),
      test: writeRows(join(opened.folder, `${table}.test.jsonl`), of('test')),
    };
    return {
      kind: 'train',
      task: 'classification',
      algorithm,
      data,
      columns: { label: 'label', features: [] },
      hyperparameters: {},
      ...frame,
    };
  }

  it.each(
    Object.keys(tables).flatMap((table) =>
      (['linear', 'boosted'] as const).map((algorithm) => [algorithm, table] as const),
    ),
  )('a %s one is as good on %s as its reference', async (algorithm, table) => {
    const { metrics } = await engine.run(
      jobOn(table, algorithm),
      watchIn(join(opened.folder, `${table}-${algorithm}`)),
    );
    const difference = 100 * (metrics['test_accuracy'] ?? 0) - (tables[table]?.[algorithm] ?? 100);
    expect(difference).toBeGreaterThanOrEqual(-tolerance[algorithm]);
  });
});
