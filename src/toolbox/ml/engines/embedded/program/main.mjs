import { emit, fail, JobFailure, spec } from './channel.mjs';

const programs = {
  train: async () => (await import('./tabular.mjs')).train(),
  finetune: async () => (await import('./finetune.mjs')).finetune(),
  evaluate: async () =>
    spec.job.model.format === 'tabular'
      ? (await import('./tabular.mjs')).evaluate()
      : (await import('./finetune.mjs')).evaluateModel(),
  predict: async () =>
    spec.job.model.format === 'tabular'
      ? (await import('./tabular.mjs')).predict()
      : (await import('./generate.mjs')).predict(),
  quantize: async () => (await import('./quantize.mjs')).quantize(),
  prepare: async () => (await import('./prepare.mjs')).prepare(),
};

try {
  await (
    programs[spec.program] ?? (() => fail('ml.unsupported_job', `"${spec.program}" is no job`))
  )();
} catch (error) {
  const isMemory =
    error instanceof RangeError && /allocat|memory|array length/i.test(error.message);
  const code =
    error instanceof JobFailure ? error.code : isMemory ? 'ml.out_of_memory' : 'ml.training_failed';
  emit({ event: 'error', code, message: error.message });
  if (!(error instanceof JobFailure)) process.stderr.write(`${error.stack}\n`);
  process.exitCode = 1;
}
