import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeSync } from 'node:fs';

/** What the host reads: JSON lines; a line of the event `file` is followed by that many bytes. */
export const spec = JSON.parse(readFileSync('spec.json', 'utf8'));
const startedAt = performance.now();
let written = 0;

export class JobFailure extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

export function fail(code, message) {
  throw new JobFailure(code, message);
}

export function emit(event) {
  write(Buffer.from(`${JSON.stringify(event)}\n`));
}

export const note = (message, fields = {}) => emit({ event: 'note', message, fields });

/** Sends files as one unit: the host keeps all of them or none. `files` is `{ name: [bytes, …] }`. */
export function send(kind, step, files) {
  for (const [name, parts] of Object.entries(files)) {
    const hash = createHash('sha256');
    for (const part of parts) hash.update(part);
    emit({ event: 'file', name, bytes: sizeOf(parts), sha256: hash.digest('hex') });
    for (const part of parts) write(part);
  }
  emit({ event: 'commit', kind, step });
}

export const sizeOf = (parts) => parts.reduce((sum, part) => sum + part.length, 0);

const pieceBytes = 1 << 20;
const pause = new Int32Array(new SharedArrayBuffer(4));

/** Returns when all of it is written: the bytes may be tensors that the next step changes. */
function write(bytes) {
  written += bytes.length;
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(1, bytes, at, Math.min(pieceBytes, bytes.length - at));
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
      // The reader is slower than we are.
      Atomics.wait(pause, 0, 0, 1);
    }
  }
}

/** Whether the host wants the run to end with a checkpoint. */
export const isCancelled = () => existsSync(spec.slice.cancelFile);

/** Whether so many more bytes would pass what this sandbox may write, or its time is over. */
export function isSliceOver(nextBytes) {
  return (
    written + nextBytes > spec.slice.outputBytes ||
    performance.now() - startedAt > spec.slice.wallMs
  );
}

/** Well below the two seconds that are promised: a slow layer may come in between. */
const reportMs = 500;

/** Reports steps, at least twice a second and at most as often as wanted. */
export function createProgress({ steps, every, done }) {
  let lastAt = performance.now();
  let lastStep = done;
  const beginAt = lastAt;
  let units = 0;
  return (step, { loss, learningRate = 0, count = 0 }) => {
    units += count;
    const now = performance.now();
    if (now - lastAt < reportMs && step - lastStep < every && step < steps) return;
    if (step === lastStep && now - lastAt < reportMs) return;
    [lastAt, lastStep] = [now, step];
    const seconds = Math.max(1e-3, (now - beginAt) / 1000);
    const etaMs = step > done ? Math.round(((steps - step) * seconds * 1000) / (step - done)) : 0;
    emit({
      event: 'step',
      step,
      steps,
      loss,
      learningRate,
      tokensPerSecond: Math.round(units / seconds),
      memoryBytes: process.memoryUsage().rss,
      etaMs,
    });
  };
}
