import type { TrainingEvent } from '../../../contract/ml/index.ts';
import type { CallContext } from '../../../contract/server/index.ts';

/** Between two reports while nothing new is heard; the protocol asks for growing numbers. */
const heartbeatMs = 1_500;
const heartbeatStep = 1e-4;
const maxPlotted = 24;
const bars = '▁▂▃▄▅▆▇█';
const megabyte = 1_048_576;

export interface ProgressReporter {
  readonly onEvent: (event: TrainingEvent) => void;
  readonly stop: () => void;
}

/** Events as progress of the call: one line with a small plot of the loss, at least every two seconds. */
export function reportProgress(
  context: Pick<CallContext, 'progress'>,
  what: string,
): ProgressReporter {
  let last = { progress: 0, total: 1, message: `${what}: starting` };
  const losses: number[] = [];
  const send = (): void => context.progress(last);
  const beat = setInterval(() => {
    last = { ...last, progress: last.progress + heartbeatStep };
    send();
  }, heartbeatMs);
  send();
  return {
    stop: () => clearInterval(beat),
    onEvent(event) {
      if (event.event === 'step') losses.push(event.loss);
      const message = describeEvent(event, losses);
      if (message === undefined) return;
      const counted = event.event === 'step' ? { progress: event.step, total: event.steps } : last;
      // Attempts begin anew, and what is shown must not go back.
      const progress = Math.max(counted.progress, last.progress + heartbeatStep);
      last = { progress, total: Math.max(counted.total, progress), message: `${what}: ${message}` };
      send();
    },
  };
}

function describeEvent(event: TrainingEvent, losses: readonly number[]): string | undefined {
  switch (event.event) {
    case 'start':
      return `${event.engine} ${event.version}, ${event.trainableParameters.toLocaleString('en')} of ${event.parameters.toLocaleString('en')} parameters, from step ${event.fromStep} of ${event.steps}`;
    case 'step': {
      const parts = [
        `step ${event.step}/${event.steps}`,
        `loss ${event.loss.toFixed(4)} ${plotLine(losses)}`,
        ...(event.tokensPerSecond > 0 ? [`${Math.round(event.tokensPerSecond)} tokens/s`] : []),
        `${Math.round(event.memoryBytes / megabyte)} MB`,
        `${formatDuration(event.etaMs)} left`,
      ];
      return parts.join(' · ');
    }
    case 'eval': {
      const metrics = Object.entries(event.metrics).map(
        ([name, value]) => `${name} ${value.toFixed(4)}`,
      );
      return `step ${event.step}, ${event.split}: ${metrics.join(', ')}`;
    }
    case 'checkpoint':
      return `checkpoint of step ${event.step}`;
    case 'note':
      return event.message;
    case 'done':
    case 'error':
      return undefined;
  }
}

/** The course of the loss in one line. */
export function plotLine(values: readonly number[]): string {
  const finite = values.filter(Number.isFinite);
  const width = Math.min(maxPlotted, finite.length);
  const picked = Array.from(
    { length: width },
    (_, at) => finite[Math.floor((at * finite.length) / width)] ?? 0,
  );
  const least = Math.min(...picked);
  const range = Math.max(...picked) - least || 1;
  return picked
    .map((value) => bars[Math.round(((value - least) / range) * (bars.length - 1))])
    .join('');
}

const secondMs = 1_000;
const minute = 60;

export function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / secondMs));
  if (seconds < minute) return `${seconds} s`;
  const minutes = Math.round(seconds / minute);
  if (minutes < 2 * minute) return `${minutes} min`;
  const hours = minutes / minute;
  return hours < 48 ? `${hours.toFixed(1)} h` : `${(hours / 24).toFixed(1)} days`;
}
