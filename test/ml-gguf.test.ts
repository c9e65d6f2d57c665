import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { EvaluateJob, ModelFiles } from '../src/contract/ml/index.ts';
import { createEmbeddedEngine, createGgufEngine } from '../src/toolbox/ml/engines/index.ts';
import { writeRows } from '../testkit/ml/tiny-llama.ts';
import { isProof } from '../testkit/sample.ts';
import { bubblewrapMissing, whyNoBubblewrap } from '../testkit/sandbox/this-machine.ts';
import { aFinetuneJob, watchIn } from './support/ml/finetune-job.ts';
import { scoreWithLlama } from './support/ml/score-gguf.ts';
import { openEngines } from './support/ml/open-engines.ts';

const addonFile = resolve('test/llama/node_modules/node-llama-cpp/dist/index.js');
const hasLlama = existsSync(addonFile);
const whyNoLlama = hasLlama ? '' : ' (skipped: node-llama-cpp is missing; `make test` installs it)';
/** llama.cpp rounds activations to 8 bits, too, when weights are quantized. */
const llamaTolerance = { f16: 1e-4, q8_0: 1e-2, q4_0: 3e-2 };
/** Shorter than a window, so that both score it in one piece. */
const passage = 'Tools that run each other, and a plan you see before it runs.';
const sizes = { hidden: 128, inner: 320, layers: 2, heads: 4, groups: 2, isTied: false };
/** Largest share of the size of float32, most points of top-1 that may be lost, and factor of the perplexity. */
const bars = { f16: [0.52, 0.1, 1.001], q8_0: [0.3, 1, 1.01], q4_0: [0.17, 1, 1.08] } as const;

describe.skipIf(bubblewrapMissing)(`GGUF files${whyNoBubblewrap}`, () => {
  const opened = openEngines();
  const embedded = createEmbeddedEngine(opened.context);
  const gguf = createGgufEngine(opened.context);
  const in_ = (name: string): string => join(opened.folder, name);
  const job = aFinetuneJob(
    opened.folder,
    {
      method: 'full',
      hyperparameters: {
        max_steps: isProof ? 300 : 60,
        save_steps: 1000,
        max_seq_length: 64,
        learning_rate: 0.002,
      },
    },
    sizes,
  );
  afterAll(() => opened.close());

  const evaluationOf = (model: ModelFiles): EvaluateJob => ({
    ...job,
    kind: 'evaluate',
    model,
    hyperparameters: { max_seq_length: 64 },
  });
  const score = async (model: ModelFiles, name: string) => {
    const engine = model.format === 'gguf' ? gguf : embedded;
    return (await engine.run(evaluationOf(model), watchIn(in_(name)))).metrics;
  };

  const written: [keyof typeof bars, ModelFiles][] = [];

  it('are small, and score nearly as the weights they are made from', async () => {
    const { model } = await embedded.run(job, watchIn(in_('trained')));
    if (!model) throw new Error('nothing was trained');
    const before = await score(model, 'before');
    for (const [quantization, [ratio, points, factor]] of [
      ['f16', bars.f16],
      ['q8_0', bars.q8_0],
      ['q4_0', bars.q4_0],
    ] as const) {
      const { seed, threads, limits } = job;
      const made = await gguf.run(
        { kind: 'quantize', model, quantization, seed, threads, limits },
        watchIn(in_(quantization)),
      );
      expect(made.metrics['ratio']).toBeLessThanOrEqual(ratio);
      if (!made.model) throw new Error('nothing was written');
      const after = await score(made.model, `${quantization}-scored`);
      if (isProof) console.log(quantization, made.metrics, before, after);
      expect((before['top1'] ?? 0) - (after['top1'] ?? 0)).toBeLessThanOrEqual(points);
      expect((after['perplexity'] ?? Infinity) / (before['perplexity'] ?? 1)).toBeLessThanOrEqual(
        factor,
      );
      written.push([quantization, made.model]);
    }
  });

  it.skipIf(!hasLlama)(`load in llama.cpp, with the same scores${whyNoLlama}`, async () => {
    expect(written).toHaveLength(Object.keys(bars).length);
    for (const [quantization, model] of written) {
      const file = join(model.folder, 'model.gguf');
      const theirs = await scoreWithLlama(addonFile, file, passage);
      expect(theirs.tokens.slice(1, -1)).toEqual([...Buffer.from(passage)]);
      const ours = await gguf.run(
        {
          ...evaluationOf(model),
          data: { train: writeRows(in_('passage.jsonl'), [{ text: passage }]) },
        },
        watchIn(in_(`${quantization}-passage`)),
      );
      const difference = Math.abs(theirs.loss - (ours.metrics['loss'] ?? 0));
      if (isProof) console.log(quantization, 'llama.cpp differs by', difference);
      expect(difference).toBeLessThan(llamaTolerance[quantization]);
    }
  });

  it('are refused as base for training', async () => {
    const { refusals } = await gguf.plan(job);
    expect(refusals).toContain('it does not do jobs of the kind "finetune"');
  });
});
