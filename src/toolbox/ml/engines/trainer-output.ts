import { join } from 'node:path';
import type {
  Metrics,
  TrainingEvent,
  TrainingJob,
  TrainingWatch,
} from '../../../contract/ml/index.ts';
import type { FaultPoint } from '../../../kernel/index.ts';
import { recordOf } from '../../../kernel/index.ts';
import {
  type FileWriter,
  FolderWriter,
  type FrameListener,
  isPlainName,
  keepNewest,
  stepFolderName,
  type StoredFolder,
} from '../checkpoints/index.ts';

interface OutputOptions {
  readonly jobHash: string;
  readonly job: TrainingJob;
  readonly watch: TrainingWatch;
  readonly faults: FaultPoint;
}

/** How a trainer ended, as it says itself. */
type TrainerEnd = 'done' | 'cancelled' | 'slice' | undefined;

interface Failure {
  readonly code: string;
  readonly message: string;
}

const maxFiles = 64;
const maxMessageLetters = 2_000;
/** What a trainer may report; everything else it says is dropped. */
const passedOn = new Set(['start', 'step', 'eval', 'note']);

/** Keeps what a trainer sends: files become checkpoints or the result, reports are passed on. What it says is not trusted. */
export class TrainerOutput implements FrameListener {
  readonly #options: OutputOptions;
  #writer: FolderWriter | undefined;
  #fileCount = 0;
  #file: { readonly writer: FileWriter; readonly sha256: string } | undefined;
  #folderFailure: string | undefined;
  #bytes = 0;
  readonly #stopping = new AbortController();
  end: TrainerEnd;
  metrics: Metrics = {};
  result: StoredFolder | undefined;
  failure: Failure | undefined;

  constructor(options: OutputOptions) {
    this.#options = options;
  }

  async event(event: Readonly<Record<string, unknown>>): Promise<void> {
    const name = event['event'];
    if (name === 'commit') return this.#commit(event);
    if (name === 'cancelled' || name === 'slice') this.end = name;
    if (name === 'error') this.#fail(String(event['code']), String(event['message']));
    if (name === 'done') return this.#finish(numbersOf(event['metrics']));
    // Our own trainer sends the fields of the contract; a broken one can mislead its own user only.
    if (typeof name === 'string' && passedOn.has(name))
      this.#options.watch.onEvent(event as unknown as TrainingEvent);
  }

  async file(name: string, bytes: number, sha256: string): Promise<void> {
    this.#fileCount += 1;
    this.#bytes += bytes;
    if (!isPlainName(name) || this.#fileCount > maxFiles)
      return this.broken(`it sent a file called "${name.slice(0, 100)}"`);
    if (this.#bytes > this.#options.job.limits.diskBytes)
      return this.broken(
        `one checkpoint or result is larger than ${this.#options.job.limits.diskBytes} bytes`,
      );
    this.#writer ??= new FolderWriter(
      join(this.#options.watch.folder, 'incoming'),
      this.#options.faults,
    );
    this.#file = { writer: await this.#writer.add(name), sha256 };
  }

  async piece(bytes: Uint8Array): Promise<void> {
    await this.#file?.writer.write(bytes);
  }

  async fileEnded(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    const written = await file?.writer.end();
    if (file && written?.sha256 !== file.sha256)
      this.#folderFailure = `${written?.name} arrived with other bytes`;
  }

  /** Ends the sandbox at once. */
  stop(): void {
    this.#stopping.abort();
  }

  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  broken(reason: string): void {
    this.stop();
    this.#fail('ml.trainer_broken', `the trainer was stopped: ${reason}`);
    this.#folderFailure = reason;
  }

  /** After the end: an unfinished folder is removed. */
  async close(): Promise<void> {
    await this.#file?.writer.end();
    await this.#writer?.drop();
  }

  async #commit({ kind, step }: Readonly<Record<string, unknown>>): Promise<void> {
    const writer = this.#writer;
    [this.#writer, this.#fileCount, this.#bytes] = [undefined, 0, 0];
    if (!writer || typeof step !== 'number' || this.#folderFailure !== undefined) {
      await writer?.drop();
      this.broken(this.#folderFailure ?? 'it finished a folder without files');
      return;
    }
    const { watch, jobHash, job } = this.#options;
    const checkpoints = join(watch.folder, 'checkpoints');
    if (kind !== 'checkpoint') {
      this.#pending = { writer, step };
      return;
    }
    const stored = await writer.commit(jobHash, step, join(checkpoints, stepFolderName(step)));
    await keepNewest(checkpoints, keptCheckpoints(job));
    const { folder, bytes, sha256 } = stored;
    watch.onEvent({ event: 'checkpoint', step, folder, bytes, sha256 });
  }

  /** Files of the result wait for the metrics, which are one of them. */
  #pending: { readonly writer: FolderWriter; readonly step: number } | undefined;

  async #finish(metrics: Metrics): Promise<void> {
    const { watch, jobHash } = this.#options;
    if (this.failure) return;
    this.metrics = metrics;
    if (this.#pending) {
      const { writer, step } = this.#pending;
      const file = await writer.add('metrics.json');
      await file.write(Buffer.from(JSON.stringify(metrics, null, 2)));
      await file.end();
      this.result = await writer.commit(jobHash, step, join(watch.folder, 'result'));
    }
    this.end = 'done';
    watch.onEvent({ event: 'done', metrics });
  }

  #fail(code: string, message: string): void {
    if (this.failure) return;
    this.failure = {
      code: code.slice(0, 100),
      message: message.slice(0, maxMessageLetters).replaceAll(/\p{Cc}/gu, ' '),
    };
    this.#options.watch.onEvent({ event: 'error', ...this.failure });
  }
}

/** How many checkpoints a job keeps. */
function keptCheckpoints(job: TrainingJob): number {
  const keep = 'hyperparameters' in job ? job.hyperparameters['save_total_limit'] : undefined;
  return typeof keep === 'number' && keep >= 1 ? keep : 2;
}

function numbersOf(value: unknown): Metrics {
  return Object.fromEntries(
    Object.entries(recordOf(value)).filter(
      (entry): entry is [string, number] => typeof entry[1] === 'number',
    ),
  );
}
