import type {
  OwnedProcess,
  ProcessExit,
  ProcessOwner,
  ProcessSpec,
} from '../../../kernel/index.ts';
import { LineReader, type JsonLimits } from '../../../protocol/index.ts';
import { ServerNotReadingError } from '../../errors.ts';
import type { Link, LinkListener, OutgoingMessage } from '../link.ts';
import { settlesWithin, untilEnded } from './stream-end.ts';
import { excerptOf, type Redact } from './excerpt.ts';
import { defaultRateLimits, RateLimiter, type RateLimits } from './rate-limiter.ts';
import { defaultMessageLimits, MessageDispatcher } from './message-dispatcher.ts';
import { StderrTail } from './crash-reason.ts';

export interface StdioLinkOptions {
  /** The server's name, for errors. */
  readonly name: string;
  readonly process: ProcessSpec;
  readonly owner: ProcessOwner;
  /** Standard error of the server, and the beginning of garbage on its standard output. */
  readonly onStderr: (line: string) => void;
  readonly redact?: Redact | undefined;
  readonly limits?: Partial<StdioLinkLimits>;
}

export interface StdioLinkLimits {
  readonly message: JsonLimits;
  readonly rate: RateLimits;
  readonly maxStderrLineBytes: number;
  /** Queue limit for a server that does not read its input. */
  readonly maxQueuedLength: number;
  /** Time to exit after its input was closed. */
  readonly closeGraceMs: number;
  /** Time between SIGTERM to its process group and SIGKILL. */
  readonly stopGraceMs: number;
  /** How long exit and end of output of a dying process may be apart. */
  readonly settleMs: number;
}

export const defaultStdioLinkLimits: StdioLinkLimits = {
  message: defaultMessageLimits,
  rate: defaultRateLimits,
  maxStderrLineBytes: 8 * 1024,
  maxQueuedLength: 16 * 1024 * 1024,
  closeGraceMs: 1_500,
  stopGraceMs: 1_000,
  settleMs: 500,
};

/** Kept head and tail of a line over the limit: enough to find the id of its request. */
const keptLineBytes = 512;

/** Starts a process and exchanges lines with it. Rejects with `kernel.process_not_started`. */
export async function openStdioLink(
  options: StdioLinkOptions,
  listener: LinkListener,
): Promise<Link> {
  const process = await options.owner.start(options.process);
  return new StdioLink(process, options, listener);
}

/**
 * 1. The first to end (process, output, input, or `close`) determines the reason; the rest is torn down.
 * 2. Output written before the exit is delivered before `onClose`.
 * 3. Pipe failures never throw: the process may die at any moment.
 */
class StdioLink implements Link {
  readonly pid: number;
  readonly #process: OwnedProcess;
  readonly #name: string;
  readonly #limits: StdioLinkLimits;
  readonly #listener: LinkListener;
  readonly #onStderr: (line: string) => void;
  readonly #redact: Redact;
  readonly #dispatcher: MessageDispatcher;
  readonly #rateLimiter: RateLimiter;
  readonly #stdoutEnded: Promise<void>;
  readonly #stderrEnded: Promise<void>;
  #outgoing = '';
  readonly #stderrTail = new StderrTail();
  #isWanted = false;
  #isClosed = false;
  #ending: Promise<void> | undefined;

  constructor(process: OwnedProcess, options: StdioLinkOptions, listener: LinkListener) {
    this.pid = process.pid;
    this.#process = process;
    this.#name = options.name;
    this.#limits = { ...defaultStdioLinkLimits, ...options.limits };
    this.#listener = listener;
    this.#onStderr = options.onStderr;
    this.#redact = options.redact ?? ((text) => text);
    this.#dispatcher = new MessageDispatcher({
      name: options.name,
      limits: this.#limits.message,
      listener,
      redact: options.redact,
      onExcerpt: (excerpt) => options.onStderr(`no message on stdout: ${excerpt}`),
    });
    this.#rateLimiter = new RateLimiter(process.stdout, this.#limits.rate, () => {
      listener.onProblem('flooded its output and was slowed down');
    });
    this.#stdoutEnded = this.#readStdout();
    this.#stderrEnded = this.#readStderr();
    process.stdin.on('error', () => this.#end('closed its input'));
    void this.#stdoutEnded.then(() => this.#end('closed its output'));
    void process.exited.then(() => this.#end('exited'));
  }

  send({ text, id, isAlone = false }: OutgoingMessage): void {
    if (this.#isClosed || this.#isWanted) return;
    const queued = this.#process.stdin.writableLength + this.#outgoing.length;
    if (queued > 0 && queued + text.length > this.#limits.maxQueuedLength) {
      this.#listener.onProblem('did not read its input, and a message was not sent');
      const error = new ServerNotReadingError(this.#name, queued);
      // Deferred: the sender has not returned from `send` and may not listen yet.
      if (id !== undefined) queueMicrotask(() => this.#fail(id, error));
      return;
    }
    // Messages of all callers within one tick are written with one system call.
    if (this.#outgoing === '' && !isAlone) setImmediate(this.#flush);
    this.#outgoing += `${text}\n`;
    if (isAlone) this.#flush();
  }

  async close(): Promise<void> {
    if (!this.#ending) {
      this.#isWanted = true;
      this.#flush();
      this.#process.stdin.end();
      this.#rateLimiter.release();
      this.#end('did not end when its input was closed');
    }
    await this.#ending;
  }

  readonly #flush = (): void => {
    const text = this.#outgoing;
    this.#outgoing = '';
    if (text !== '' && this.#process.stdin.writable) this.#process.stdin.write(text);
  };

  #fail(id: NonNullable<OutgoingMessage['id']>, error: Error): void {
    if (!this.#isClosed) this.#listener.onRequestFailed(id, error);
  }

  async #readStdout(): Promise<void> {
    const { stdout } = this.#process;
    const reader = new LineReader({
      maxBytes: this.#limits.message.maxBytes,
      keptBytes: keptLineBytes,
      onLine: (bytes) => {
        if (this.#isClosed) return;
        if (this.#dispatcher.dispatch(bytes) !== 'answer') this.#rateLimiter.count(bytes.length);
      },
      onLongLine: (line) => {
        if (!this.#isClosed) this.#dispatcher.skipTooLarge(line);
      },
    });
    stdout.on('data', (chunk: Buffer) => reader.push(chunk));
    await untilEnded(stdout);
    if (reader.end() && !this.#isClosed) {
      this.#listener.onProblem('ended its output in the middle of a line');
    }
  }

  async #readStderr(): Promise<void> {
    const emit = (bytes: Buffer): void => {
      const line = this.#redact(bytes.toString('utf8'));
      this.#stderrTail.add(line);
      this.#onStderr(line);
    };
    const { maxStderrLineBytes } = this.#limits;
    const reader = new LineReader({
      maxBytes: maxStderrLineBytes,
      keptBytes: maxStderrLineBytes,
      onLine: emit,
      onLongLine: ({ head }) => emit(head),
    });
    this.#process.stderr.on('data', (chunk: Buffer) => reader.push(chunk));
    await untilEnded(this.#process.stderr);
    reader.end();
  }

  /** `lapse` says what a process that is still running did first. */
  #end(lapse: string): void {
    this.#ending ??= this.#tearDown(lapse);
  }

  async #tearDown(lapse: string): Promise<void> {
    const { settleMs, closeGraceMs, stopGraceMs } = this.#limits;
    const { exited, stdin, stdout, stderr } = this.#process;
    const hasExited = await settlesWithin(exited, this.#isWanted ? closeGraceMs : settleMs);
    // Even after the exit: its descendants may still run.
    const exit = await this.#process.stop(hasExited ? 0 : stopGraceMs);
    this.#rateLimiter.release();
    await settlesWithin(Promise.all([this.#stdoutEnded, this.#stderrEnded]), settleMs);
    this.#isClosed = true;
    for (const stream of [stdin, stdout, stderr]) stream.destroy();
    const ending = hasExited ? describeExit(exit) : `The process ${lapse}, and was stopped`;
    const cause = this.#isWanted ? '' : excerptOf(Buffer.from(this.#stderrTail.crashReason()));
    this.#listener.onClose({
      reason: cause === '' ? ending : `${ending}; stderr: ${cause}`,
      isWanted: this.#isWanted,
      ...exit,
    });
  }
}

function describeExit({ exitCode, signal }: ProcessExit): string {
  if (signal !== null) return `The process was ended by ${signal}`;
  return `The process exited with code ${exitCode ?? 'unknown'}`;
}
