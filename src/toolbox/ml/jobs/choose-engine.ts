import type { TrainingEngine, TrainingJob } from '../../../contract/ml/index.ts';
import { TrainingRefusedError } from '../errors.ts';

/** `finetune:lora`, `quantize:q8_0`, `train:boosted`, `evaluate`, as engines name what they can do. */
export function abilityOf(job: TrainingJob): readonly string[] {
  const detail =
    job.kind === 'finetune'
      ? job.method
      : job.kind === 'quantize'
        ? job.quantization
        : job.kind === 'train'
          ? job.algorithm
          : job.model.format;
  return [`${job.kind}:${detail}`, job.kind];
}

/** The first engine that can do the job, or the one that is asked for. Throws `ml.refused` with what each lacks. */
export async function chooseEngine(
  engines: readonly TrainingEngine[],
  job: TrainingJob,
  wanted?: string,
): Promise<TrainingEngine> {
  const abilities = abilityOf(job);
  const reasons: string[] = [];
  for (const engine of engines.filter(({ name }) => wanted === undefined || name === wanted)) {
    const { can, cannot } = await engine.probe();
    if (abilities.some((ability) => can.includes(ability))) return engine;
    const found = cannot.find(({ what }) => abilities.includes(what));
    const fix = found?.fix === undefined ? '' : ` (${found.fix})`;
    reasons.push(`${engine.name}: ${found?.reason ?? `it cannot ${abilities[0]}`}${fix}`);
  }
  if (reasons.length === 0) {
    const names = engines.map(({ name }) => name).join(', ');
    reasons.push(
      wanted === undefined ? 'there is no engine' : `there is no engine "${wanted}", only ${names}`,
    );
  }
  throw new TrainingRefusedError(`${job.kind} (${abilities[0]})`, reasons);
}
