import type { AlertEngine, AlertNotifier } from '../observe/index.ts';
import type { alertFiles } from './alert-files.ts';

/** Evaluations that an instance may miss before what it last said is taken for old. */
const missedEvaluations = 3;

/** Keeps what fires, what was sent and what is usual across restarts. */
export function alertKeeper({
  files,
  engine,
  notifier,
  intervalMs,
}: {
  readonly files: ReturnType<typeof alertFiles>;
  readonly engine: AlertEngine;
  readonly notifier: AlertNotifier;
  readonly intervalMs: number;
}) {
  let written = '';
  let writtenHourMs = 0;
  return {
    restore: async (source: string): Promise<void> => {
      const { own, history } = await files.earlierOf(source);
      const firing = own?.firing ?? [];
      engine.restore({ firing, history }, Date.now());
      notifier.restore(firing, own?.sent ?? {});
    },
    keep: async (source: string): Promise<void> => {
      const state = { source, firing: engine.firing(), sent: notifier.sent() };
      const text = JSON.stringify(state);
      // Only what fires needs to be renewed.
      if (text !== written || state.firing.length > 0) {
        await files.writeFiring({ ...state, untilMs: Date.now() + missedEvaluations * intervalMs });
        written = text;
      }
      const history = engine.history();
      const hours = Object.values(history).map((points) => points.at(-1)?.atMs ?? 0);
      const lastHourMs = Math.max(0, ...hours);
      if (lastHourMs !== writtenHourMs) await files.writeHistory(source, history);
      writtenHourMs = lastHourMs;
    },
  };
}
