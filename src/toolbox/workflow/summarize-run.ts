import type { ShownRun } from './run-schema.ts';

const maxListed = 20;
const maxErrorChars = 500;

/** A few lines about a run, for people and models. */
export function summarizeRun(run: ShownRun): string {
  const { runId, name, status, steps, totalSteps, doneSteps, waitingFor, error } = run;
  const entries = Object.entries(steps);
  const failed = entries.filter(([, step]) => step.status === 'failed').slice(0, maxListed);
  const stored = entries.flatMap(([path, step]) =>
    step.stored ? [[path, step.stored] as const] : [],
  );
  return [
    `Run ${runId}${name === null ? '' : ` (${name})`}: ${status}, ${doneSteps} of ${totalSteps} steps done`,
    ...(error ? [`${error.code}: ${error.message.slice(0, maxErrorChars)}`] : []),
    ...failed.map(
      ([path, step]) => `step ${path} failed: ${step.error?.message.slice(0, maxErrorChars) ?? ''}`,
    ),
    ...waitingFor
      .slice(0, maxListed)
      .map(
        ({ kind, step, commands }) =>
          `step ${step} waits for ${kind}; a person gives it with: ${commands.join(' or ')}`,
      ),
    ...stored
      .slice(0, maxListed)
      .map(([path, { id, bytes }]) => `output of ${path}: ${bytes} bytes, read_artifact ${id}`),
    ...(run.stored ? [`output: ${run.stored.bytes} bytes, read_artifact ${run.stored.id}`] : []),
    ...(run.output === undefined ? [] : [`output: ${JSON.stringify(run.output)}`]),
  ].join('\n');
}
