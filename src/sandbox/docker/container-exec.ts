import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { OutputPiece } from '../../contract/sandbox/index.ts';
import type { ProcessExit } from '../../kernel/index.ts';
import type { OutputListener } from '../boot/boot.ts';
import { type DockerApi, DockerRequestError } from './docker-api.ts';

interface ExecSpec {
  readonly containerId: string;
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly user: string;
  readonly folder: string;
  readonly signal?: AbortSignal | undefined;
}

const createdSchema = z.looseObject({ Id: z.string() });
const inspectedSchema = z.looseObject({
  Running: z.boolean(),
  ExitCode: z.number().nullish(),
});

/** Between two looks whether a program has ended; the last one goes on. */
const lookPausesMs = [1, 2, 5, 10, 20, 50, 100, 250] as const;
/** An engine that does not answer this often in a row is gone. */
const maxFailedLooks = 20;
const killed: ProcessExit = { exitCode: 137, signal: null };

/** A program that was started in a running container, with its streams. */
export class ContainerExec {
  readonly exited: Promise<ProcessExit>;
  readonly #api: DockerApi;
  readonly #id: string;
  readonly #socket: Socket;
  readonly #closed: Promise<void>;
  #hasEnded = false;
  #isGone = false;
  #isClosed = false;

  /** `listener` gets everything from the first byte. */
  static async start(
    api: DockerApi,
    spec: ExecSpec,
    listener: OutputListener,
  ): Promise<ContainerExec> {
    const created = await api.call({
      method: 'POST',
      path: `/containers/${spec.containerId}/exec`,
      signal: spec.signal,
      body: {
        AttachStdin: true,
        AttachStdout: true,
        AttachStderr: true,
        Tty: false,
        User: spec.user,
        WorkingDir: spec.folder,
        Env: Object.entries(spec.env).map(([name, value]) => `${name}=${value}`),
        Cmd: spec.command,
      },
    });
    const { Id: id } = createdSchema.parse(created);
    const socket = await api.connect({
      method: 'POST',
      path: `/exec/${id}/start`,
      signal: spec.signal,
      body: { Detach: false, Tty: false },
    });
    return new ContainerExec({ api, id, socket }, listener);
  }

  private constructor(
    { api, id, socket }: { api: DockerApi; id: string; socket: Socket },
    listener: OutputListener,
  ) {
    this.#api = api;
    this.#id = id;
    this.#socket = socket;
    this.#closed = new Promise((resolve) => {
      socket.once('end', resolve);
      socket.once('close', resolve);
    }).then(() => void (this.#isClosed = true));
    socket.on('data', demultiplex(listener));
    this.exited = this.#untilEnded();
    // A later waiter still sees the failure.
    this.exited.catch(() => {});
  }

  get isRunning(): boolean {
    return !this.#hasEnded;
  }

  send(parts: readonly Uint8Array[]): void {
    this.#socket.cork();
    for (const part of parts) if (part.length > 0) this.#socket.write(part);
    this.#socket.uncork();
    this.#socket.end();
  }

  /** Whether all output came within that time. */
  async drained(maxMs: number): Promise<boolean> {
    const ended = this.#closed.then(() => true);
    return await Promise.race([ended, sleep(maxMs, false, { ref: false })]);
  }

  /** The container was killed: an engine that knows nothing of the program says that it has ended. */
  expectEnd(): void {
    this.#isGone = true;
  }

  close(): void {
    this.#isGone = true;
    this.#socket.destroy();
  }

  /**
   * Asks the engine, because the end of the streams tells nothing: what the program left running may
   * hold them open, and the program itself may close them. Rejects when the engine is gone or was started
   * anew: then the outcome is unknown.
   */
  async #untilEnded(): Promise<ProcessExit> {
    let failed = 0;
    for (let look = 0; ; look += 1) {
      const pauseMs = lookPausesMs[Math.min(look, lookPausesMs.length - 1)];
      const pause = sleep(pauseMs);
      // The end of the streams is most often the program's: then it is looked at closely once.
      const wasOpen = !this.#isClosed;
      await (wasOpen && look >= 4 ? Promise.race([pause, this.#closed]) : pause);
      if (wasOpen && this.#isClosed) look = 0;
      try {
        const exit = await this.#look();
        failed = 0;
        if (exit === null) continue;
        this.#hasEnded = true;
        return exit;
      } catch (error) {
        const isUnknown = error instanceof DockerRequestError && error.status === 404;
        this.#hasEnded = this.#isGone || isUnknown || failed >= maxFailedLooks;
        if (this.#isGone || (isUnknown && failed === 0)) return killed;
        if (this.#hasEnded) throw engineGone(error);
        failed += 1;
      }
    }
  }

  /** The engine hands over the streams before it starts the program: one without an exit code may be about to run. */
  async #look(): Promise<ProcessExit | null> {
    const isOver = this.#isGone || this.#isClosed;
    const answer = await this.#api.call({ method: 'GET', path: `/exec/${this.#id}/json` });
    const { Running: isRunning, ExitCode: exitCode } = inspectedSchema.parse(answer);
    if (isRunning) return null;
    if (exitCode !== null && exitCode !== undefined) return { exitCode, signal: null };
    return isOver ? killed : null;
  }
}

function engineGone(error: unknown): DockerRequestError {
  const said = error instanceof DockerRequestError ? error.reason : String(error);
  const reason = `it stopped or was started anew while the program ran (${said}), so the outcome of the program is unknown. Run it again`;
  return new DockerRequestError('how did the program end?', null, reason);
}

const headerBytes = 8;
const stderrMark = 2;

/**
 * Takes apart the one stream that carries both of a program's: each frame has a header with the
 * stream's number and the length. Pieces are passed on as they come, however long their frame is.
 */
export function demultiplex(
  onBytes: (stream: OutputPiece['stream'], bytes: Uint8Array) => void,
): (piece: Uint8Array) => void {
  const header = Buffer.alloc(headerBytes);
  let known = 0;
  let left = 0;
  let stream: OutputPiece['stream'] = 'stdout';
  return (piece) => {
    let at = 0;
    while (at < piece.length) {
      if (left > 0) {
        const bytes = piece.subarray(at, at + left);
        onBytes(stream, bytes);
        left -= bytes.length;
        at += bytes.length;
        continue;
      }
      const taken = piece.subarray(at, at + headerBytes - known);
      header.set(taken, known);
      known += taken.length;
      at += taken.length;
      if (known < headerBytes) continue;
      known = 0;
      stream = header[0] === stderrMark ? 'stderr' : 'stdout';
      left = header.readUInt32BE(4);
    }
  };
}
