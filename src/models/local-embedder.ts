import { Worker } from 'node:worker_threads';
import { ownModule, stopWorker } from '../kernel/index.ts';
import { EmbeddingFailedError } from './errors.ts';

interface LocalEmbedderOptions {
  /** How long the thread is kept without work; it holds about 250 MB. */
  readonly idleStopMs?: number;
  readonly maxQueuedTexts?: number;
  /** The module the thread runs. */
  readonly entry?: URL;
}

/** Of MiniLM-L6-v2. */
const dimensions = 384;
/** The model reads 256 tokens; what comes after these characters it would not see. */
const maxTextChars = 1_500;
const defaultIdleStopMs = 300_000;
const defaultMaxQueuedTexts = 20_000;

/** MiniLM-L6-v2 in WebAssembly, in a thread of its own that starts with the first text. */
export function createLocalEmbedder(options: LocalEmbedderOptions = {}): Embedder {
  return new LocalEmbedder(options);
}

interface Job {
  readonly text: string;
  readonly isUrgent: boolean;
  readonly signal: AbortSignal;
  readonly resolve: (vector: Float32Array) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * 1. The thread has one text at a time, so a request of a single text, such as a query, waits for one
 *    text and not for all that were asked for before it.
 * 2. The thread keeps the process alive only while it works.
 */
class LocalEmbedder implements Embedder {
  readonly dimensions = dimensions;
  readonly #options: Required<LocalEmbedderOptions>;
  readonly #urgent: Job[] = [];
  readonly #patient: Job[] = [];
  #worker: Worker | undefined;
  #running: Job | undefined;
  #idle: NodeJS.Timeout | undefined;

  constructor(options: LocalEmbedderOptions) {
    this.#options = {
      idleStopMs: options.idleStopMs ?? defaultIdleStopMs,
      maxQueuedTexts: options.maxQueuedTexts ?? defaultMaxQueuedTexts,
      entry: options.entry ?? ownModule('models/embed-worker'),
    };
  }

  async embed(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]> {
    signal.throwIfAborted();
    const waiting = this.#urgent.length + this.#patient.length;
    if (waiting + texts.length > this.#options.maxQueuedTexts) {
      throw new EmbeddingFailedError(`${waiting} texts wait already. Try again later`);
    }
    const isUrgent = texts.length === 1;
    const vectors = texts.map(
      (text) =>
        new Promise<Float32Array>((resolve, reject) => {
          const job = { text: text.slice(0, maxTextChars), isUrgent, signal, resolve, reject };
          (isUrgent ? this.#urgent : this.#patient).push(job);
        }),
    );
    this.#next();
    return await Promise.all(vectors);
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    this.#worker = undefined;
    this.#failAll('the embedder was closed');
    if (worker) await stopWorker(worker);
  }

  #next(): void {
    if (this.#running) return;
    const job = this.#urgent.shift() ?? this.#patient.shift();
    if (!job) return this.#rest();
    if (job.signal.aborted) {
      job.reject(job.signal.reason);
      return this.#next();
    }
    clearTimeout(this.#idle);
    this.#running = job;
    this.#worker ??= this.#start();
    this.#worker.ref();
    this.#worker.postMessage({ text: job.text } satisfies ToEmbedThread);
  }

  #rest(): void {
    const worker = this.#worker;
    worker?.unref();
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => void this.close(), this.#options.idleStopMs).unref();
  }

  #start(): Worker {
    const worker = new Worker(this.#options.entry, { stdout: false });
    worker.on('message', (message: FromEmbedThread) => this.#settle(message));
    worker.on('error', (error) => this.#lose(worker, `its thread failed: ${String(error)}`));
    worker.on('exit', () => this.#lose(worker, 'its thread ended'));
    return worker;
  }

  #settle(message: FromEmbedThread): void {
    const job = this.#running;
    this.#running = undefined;
    if (message.kind === 'embedded') job?.resolve(message.vector);
    else job?.reject(new EmbeddingFailedError(message.reason));
    this.#next();
  }

  #lose(worker: Worker, reason: string): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    this.#failAll(reason);
  }

  #failAll(reason: string): void {
    const jobs = [this.#running, ...this.#urgent.splice(0), ...this.#patient.splice(0)];
    this.#running = undefined;
    for (const job of jobs) job?.reject(new EmbeddingFailedError(reason));
  }
}

/** Turns texts into vectors whose directions are close when the texts mean similar things. */
export interface Embedder {
  readonly dimensions: number;
  /**
   * One vector of length 1 per text, in order. Throws `models.embedding_failed`, or the signal's
   * reason; of a long text only the beginning counts.
   */
  embed(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]>;
  /** Ends what runs and gives the memory back; using it again starts it again. */
  close(): Promise<void>;
}

/** What the embedder says to its thread, one text at a time. */
export interface ToEmbedThread {
  readonly text: string;
}

/** What the thread answers. */
export type FromEmbedThread =
  | { readonly kind: 'embedded'; readonly vector: Float32Array }
  | { readonly kind: 'failed'; readonly reason: string };
