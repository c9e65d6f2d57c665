import type { ProgressUpdate } from '../contract/server/index.ts';
import type { Clock } from '../kernel/index.ts';
import type { TextStream } from './io.ts';
import { clearLine, singleLine } from './printable.ts';

const quietMs = 1000;
const redrawMs = 100;
const barWidth = 24;

/** A bar on the terminal for a call that takes longer than a second; nothing when it is a pipe. */
export interface ProgressBar {
  update(update: ProgressUpdate): void;
  /** Takes the bar off the screen. */
  clear(): void;
}

export function createProgressBar(stream: TextStream, clock: Clock): ProgressBar {
  const startedAt = clock.now();
  let drawnAt = 0;
  return {
    update: (update) => {
      const now = clock.now();
      if (stream.isTTY !== true || now - startedAt < quietMs || now - drawnAt < redrawMs) return;
      drawnAt = now;
      stream.write(`${clearLine}${drawBar(update, stream.columns ?? 80)}`);
    },
    clear: () => {
      if (drawnAt > 0) stream.write(clearLine);
    },
  };
}

function drawBar({ progress, total, message = '' }: ProgressUpdate, columns: number): string {
  const share = total === undefined || total <= 0 ? undefined : Math.min(progress / total, 1);
  const done = Math.round((share ?? 0) * barWidth);
  const bar = share === undefined ? '' : `[${'#'.repeat(done)}${'.'.repeat(barWidth - done)}] `;
  const count = total === undefined ? String(progress) : `${progress}/${total}`;
  return `${bar}${count} ${singleLine(message)}`.slice(0, Math.max(columns - 1, 0));
}
