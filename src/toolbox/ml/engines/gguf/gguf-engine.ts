import type { TrainingEngine, TrainingJob, TrainingPlan } from '../../../../contract/ml/index.ts';
import { embeddedDigests, runEmbedded, settle } from '../embedded/embedded-engine.ts';
import { JobRefusedError } from '../../errors.ts';
import { planSmall } from '../plan-finetune.ts';
import type { EngineContext } from '../run-trainer.ts';

const baseBytes = 100e6;

/** Writes GGUF files of f16, q8_0 or q4_0, and scores them with the weights that their bytes stand for. */
export function createGgufEngine(context: EngineContext): TrainingEngine {
  const plan = async (given: TrainingJob): Promise<TrainingPlan> => {
    const { job, problems } = settle(given);
    const planned = planSmall(job, { engine: 'gguf', baseBytes, addressableBytes: 4e9 });
    const isOurs =
      job.kind === 'quantize' ||
      ((job.kind === 'evaluate' || job.kind === 'predict') && job.model.format === 'gguf');
    const unsupported = isOurs ? [] : [`it does not do jobs of the kind "${job.kind}"`];
    return {
      ...planned,
      refusals: [...problems, ...unsupported, ...planned.refusals, ...tooLarge(job, context)],
    };
  };
  return {
    name: 'gguf',
    probe: async () => ({
      engine: 'gguf',
      version: context.version,
      digests: await embeddedDigests(),
      can: ['quantize:f16', 'quantize:q8_0', 'quantize:q4_0', 'evaluate:gguf', 'predict:gguf'],
      cannot: [
        {
          what: 'quantize:k',
          reason:
            'formats with blocks of 256 are not written; llama-quantize of llama.cpp makes them',
        },
        { what: 'tokenizers', reason: 'byte-level and byte-fallback BPE alone can be written' },
      ],
    }),
    plan,
    run: async (given, watch) => {
      const planned = await plan(given);
      if (planned.refusals.length > 0) throw new JobRefusedError('gguf', planned.refusals);
      return runEmbedded(settle(given).job, planned, { watch, context, engine: 'gguf' });
    },
  };
}

/** Bytes of a weight in each format, with its scale. */
const bytesPerWeight = { f16: 2, q8_0: 34 / 32, q4_0: 18 / 32 };

function tooLarge(job: TrainingJob, { ceilings }: EngineContext): string[] {
  if (job.kind !== 'quantize') return [];
  const stored = job.model.files.filter(
    ({ name }) => name.endsWith('.safetensors') && !name.startsWith('adapter'),
  );
  const weights = stored.reduce((sum, { bytes }) => sum + bytes, 0) / 4;
  const bytes = Math.round(weights * bytesPerWeight[job.quantization]);
  return bytes > ceilings.outputBytes
    ? [
        `its file would have about ${bytes} bytes, and ${ceilings.outputBytes} can leave the sandbox at a time (sandbox.ceilings.output_bytes)`,
      ]
    : [];
}
