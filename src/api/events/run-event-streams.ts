import type { ServerResponse } from 'node:http';
import type { Caller } from '../../contract/caller/index.ts';
import type { RunView, Workflows } from '../../contract/run/index.ts';
import { EventStream } from '../../http/index.ts';
import type { Log } from '../../kernel/index.ts';
import { TooManyStreamsError } from '../errors.ts';
import type { ApiLimits } from '../ports.ts';
import { drained } from '../send-answer.ts';
import {
  eventId,
  type EventPosition,
  isOver,
  readEventId,
  runState,
  stateDigest,
  unknownEventId,
} from './event-id.ts';
import { RunWatcher } from './run-watcher.ts';

const pageEntries = 200;

interface StreamRequest {
  readonly caller: Caller;
  readonly runId: string;
  /** The header `Last-Event-ID`. */
  readonly lastEventId: string | undefined;
  readonly response: ServerResponse;
}

interface WatchedRuns {
  readonly workflows: Pick<Workflows, 'show' | 'journal' | 'follow'>;
  readonly log: Log;
}

/** One client that listens to a run. */
export class RunStream {
  readonly #events: EventStream;
  readonly #response: ServerResponse;
  #position: EventPosition;

  constructor(response: ServerResponse, position: EventPosition, limits: ApiLimits) {
    this.#response = response;
    this.#events = new EventStream(response, limits);
    this.#position = position;
  }

  get position(): EventPosition {
    return this.#position;
  }

  get isClosed(): boolean {
    return this.#response.destroyed || this.#response.writableEnded;
  }

  /** Entries the client has are left out. */
  sendEntry(number: number, text: string): void {
    if (number <= this.#position.number) return;
    this.#position = { ...this.#position, number };
    this.#events.send(text, 'journal', eventId(this.#position));
  }

  sendState(digest: string, text: string): void {
    if (digest === this.#position.digest) return;
    this.#position = { ...this.#position, digest };
    this.#events.send(text, 'run', eventId(this.#position));
  }

  drained(): Promise<void> {
    return drained(this.#response);
  }

  end(): void {
    this.#events.end();
  }
}

/**
 * The event streams of runs.
 *
 * 1. An event id says how much of the journal a client has, and which state of the run it saw last. Both are read from
 *    what is stored, so ids mean the same after a restart, and a client that reconnects gets every entry it lacks once.
 * 2. A run is watched once for each caller, however many of its streams are open.
 * 3. A client that does not read is disconnected; it may resume.
 */
export class RunEventStreams {
  readonly #workflows: Pick<Workflows, 'show' | 'journal' | 'follow'>;
  readonly #limits: ApiLimits;
  readonly #log: Log;
  readonly #watchers = new Map<string, RunWatcher>();
  readonly #slots: StreamSlots;

  constructor({ workflows, log }: WatchedRuns, limits: ApiLimits, slots: StreamSlots) {
    this.#workflows = workflows;
    this.#limits = limits;
    this.#slots = slots;
    this.#log = log;
  }

  /** Resolves when the client follows the run; the stream ends with the run. */
  async open({ caller, runId: given, lastEventId, response }: StreamRequest): Promise<void> {
    const position = readEventId(lastEventId);
    const view = await this.#workflows.show(caller, given);
    const { runId } = view;
    if (lastEventId !== undefined && (await this.#hasAll(caller, view, position))) {
      // Tells an EventSource not to reconnect.
      response.writeHead(204).end();
      return;
    }
    this.#slots.admit(caller, response);
    const stream = new RunStream(response, position, this.#limits);
    await this.#catchUp(caller, runId, stream);
    if (stream.isClosed) return;
    if (isOver(view.status)) {
      const state = runState(view);
      stream.sendState(stateDigest(state), JSON.stringify(state));
      stream.end();
    } else this.#watch(caller, runId).join(stream);
  }

  /** Whether a client has all there will ever be of a run. */
  async #hasAll(
    caller: Caller,
    view: RunView,
    { number, digest }: EventPosition,
  ): Promise<boolean> {
    const range = { after: 0, limit: 0 };
    const { total } = await this.#workflows.journal(caller, view.runId, range);
    if (number > total) throw unknownEventId();
    return number === total && isOver(view.status) && digest === stateDigest(runState(view));
  }

  /** Something was done to the run: its watcher looks at once. */
  nudge(caller: Caller, runId: string): void {
    this.#watchers.get(keyOf(caller, runId))?.nudge();
  }

  close(): void {
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  /** What is in the journal already, at the pace of the client. */
  async #catchUp(caller: Caller, runId: string, stream: RunStream): Promise<void> {
    while (!stream.isClosed) {
      const range = { after: stream.position.number, limit: pageEntries };
      const { entries } = await this.#workflows.journal(caller, runId, range);
      for (const entry of entries) stream.sendEntry(entry.number, JSON.stringify(entry));
      if (entries.length < pageEntries) return;
      await stream.drained();
    }
  }

  #watch(caller: Caller, runId: string): RunWatcher {
    const key = keyOf(caller, runId);
    const found = this.#watchers.get(key);
    if (found) return found;
    const watcher = new RunWatcher({
      caller,
      runId,
      workflows: this.#workflows,
      idlePollMs: this.#limits.idleRunPollMs,
      log: this.#log,
      onEnd: () => this.#watchers.delete(key),
    });
    this.#watchers.set(key, watcher);
    return watcher;
  }
}

function keyOf({ id }: Caller, runId: string): string {
  return JSON.stringify([id, runId]);
}

/** Counts the open event streams, of all callers and of each. */
export class StreamSlots {
  readonly #limits: Pick<ApiLimits, 'maxStreams' | 'maxStreamsPerCaller'>;
  readonly #perCaller = new Map<string, number>();
  #open = 0;

  constructor(limits: Pick<ApiLimits, 'maxStreams' | 'maxStreamsPerCaller'>) {
    this.#limits = limits;
  }

  /** Takes a slot until the response is closed. Throws `api.too_many_streams`. */
  admit({ id }: Caller, response: ServerResponse): void {
    const { maxStreams, maxStreamsPerCaller } = this.#limits;
    const count = this.#perCaller.get(id) ?? 0;
    if (this.#open >= maxStreams) throw new TooManyStreamsError(maxStreams);
    if (count >= maxStreamsPerCaller) throw new TooManyStreamsError(maxStreamsPerCaller);
    this.#open += 1;
    this.#perCaller.set(id, count + 1);
    response.once('close', () => {
      this.#open -= 1;
      const left = (this.#perCaller.get(id) ?? 1) - 1;
      if (left > 0) this.#perCaller.set(id, left);
      else this.#perCaller.delete(id);
    });
  }
}
