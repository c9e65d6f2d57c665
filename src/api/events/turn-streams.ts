import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { AgentEvent } from '../../contract/agent/index.ts';
import type { Caller } from '../../contract/caller/index.ts';
import type { RunView } from '../../contract/run/index.ts';
import { EventStream } from '../../http/index.ts';
import { NotFoundError, TooManyTurnsError } from '../errors.ts';
import type { ApiLimits } from '../ports.ts';
import { unknownEventId } from './event-id.ts';
import type { StreamSlots } from './run-event-streams.ts';

/** Steps of a run that an event shows. */
const maxShownSteps = 200;
/** Events of a run in progress are sent this often; what it waits for, and its end, at once. */
const runEveryMs = 100;

interface SentEvent {
  readonly event: string;
  readonly text: string;
}

interface TurnWork {
  readonly signal: AbortSignal;
  readonly onEvent: (event: AgentEvent) => void;
}

/** A message on its way through the agent, with every event of it. */
class Turn {
  readonly callerId: string;
  readonly abort = new AbortController();
  readonly events: SentEvent[] = [];
  readonly #maxChars: number;
  readonly #streams = new Set<() => void>();
  readonly #askedFor = new Set<string>();
  #chars = 0;
  #heldRun: RunView | undefined;
  #runToldAtMs = Number.NEGATIVE_INFINITY;
  isOver = false;
  /** Resolves with its end. */
  ended: Promise<void> = Promise.resolve();

  constructor(callerId: string, maxChars: number) {
    this.callerId = callerId;
    this.#maxChars = maxChars;
  }

  tell(event: AgentEvent): void {
    if (event.kind === 'run') this.#tellRun(event.run);
    else {
      this.#releaseRun();
      const { kind, ...data } = event;
      this.#add(kind, data);
    }
  }

  end(event: 'done' | 'failed', data: object): void {
    this.#releaseRun();
    this.isOver = true;
    this.#push(event, JSON.stringify(data));
  }

  /** Calls `listener` for every event from now on. */
  listen(listener: () => void): () => void {
    this.#streams.add(listener);
    return () => this.#streams.delete(listener);
  }

  #tellRun(run: RunView): void {
    const asked = run.waitingFor.filter(
      (wait) => wait.kind === 'approval' && !this.#askedFor.has(wait.approvalId),
    );
    const now = performance.now();
    this.#heldRun = run;
    if (asked.length === 0 && run.endedAt === null && now - this.#runToldAtMs < runEveryMs) return;
    this.#runToldAtMs = now;
    this.#releaseRun();
    for (const wait of asked) {
      if (wait.kind === 'approval') this.#askedFor.add(wait.approvalId);
      this.#add('approval', { runId: run.runId, ...wait });
    }
  }

  #releaseRun(): void {
    if (this.#heldRun) this.#add('run', shortRun(this.#heldRun));
    this.#heldRun = undefined;
  }

  #add(event: string, data: object): void {
    const text = JSON.stringify(data);
    this.#chars += text.length;
    if (this.#chars <= this.#maxChars) this.#push(event, text);
  }

  #push(event: string, text: string): void {
    this.events.push({ event, text });
    for (const listener of this.#streams) listener();
  }
}

/**
 * Turns of the agent that go on without a connection, and the streams that tell of them.
 *
 * 1. An event is numbered from 1 and kept until `keepTurnMs` after the end: a client that reconnects gets what it lacks.
 * 2. They live in this process. After a restart they are unknown; what was said is in the session.
 * 3. A turn of another caller does not exist.
 */
export class TurnStreams {
  readonly #limits: ApiLimits;
  readonly #slots: StreamSlots;
  readonly #turns = new Map<string, Turn>();

  constructor(limits: ApiLimits, slots: StreamSlots) {
    this.#limits = limits;
    this.#slots = slots;
  }

  /** Begins a turn and returns its id. `fail` is the event of an error. */
  start(
    caller: Caller,
    work: (turn: TurnWork) => Promise<object>,
    fail: (error: unknown) => object,
  ): string {
    const { maxTurns, maxTurnsPerCaller, maxTurnChars, keepTurnMs } = this.#limits;
    const running = [...this.#turns.values()].filter(({ isOver }) => !isOver);
    const own = running.filter(({ callerId }) => callerId === caller.id).length;
    if (own >= maxTurnsPerCaller) throw new TooManyTurnsError(maxTurnsPerCaller);
    if (running.length >= maxTurns) throw new TooManyTurnsError(maxTurns);
    const id = randomUUID();
    const turn = new Turn(caller.id, maxTurnChars);
    this.#turns.set(id, turn);
    const { signal } = turn.abort;
    turn.ended = work({ signal, onEvent: (event) => turn.tell(event) }).then(
      (outcome) => turn.end('done', outcome),
      (error: unknown) => turn.end('failed', fail(error)),
    );
    void turn.ended.finally(() => setTimeout(() => this.#turns.delete(id), keepTurnMs).unref());
    return id;
  }

  /** Sends what the client lacks, and the rest as it comes; the stream ends with the turn. */
  open(
    caller: Caller,
    id: string,
    { lastEventId, response }: { lastEventId: string | undefined; response: ServerResponse },
  ): void {
    const turn = this.#find(caller, id);
    let sent = readNumber(lastEventId);
    if (sent > turn.events.length) throw unknownEventId();
    if (turn.isOver && sent === turn.events.length) {
      // Tells an EventSource not to reconnect.
      response.writeHead(204).end();
      return;
    }
    this.#slots.admit(caller, response);
    const stream = new EventStream(response, this.#limits);
    const send = (): void => {
      for (const { event, text } of turn.events.slice(sent)) {
        sent += 1;
        stream.send(text, event, String(sent));
      }
      if (turn.isOver) stream.end();
    };
    const leave = turn.listen(send);
    response.once('close', leave);
    send();
  }

  cancel(caller: Caller, id: string): void {
    this.#find(caller, id).abort.abort();
  }

  /** Resolves when every turn that began has ended, or after `limitMs`. */
  async untilIdle(limitMs: number): Promise<void> {
    const ended = Promise.all([...this.#turns.values()].map(({ ended }) => ended));
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, limitMs);
    await Promise.race([ended, late.promise]);
    clearTimeout(timer);
  }

  close(): void {
    for (const turn of this.#turns.values()) turn.abort.abort();
  }

  #find({ id: callerId }: Caller, id: string): Turn {
    const turn = this.#turns.get(id);
    if (turn?.callerId !== callerId) throw new NotFoundError('turn', id);
    return turn;
  }
}

function readNumber(id: string | undefined): number {
  if (id === undefined || id === '') return 0;
  if (!/^\d{1,9}$/.test(id)) throw unknownEventId();
  return Number(id);
}

/** A run for those who watch it: without outputs, and with as many steps as fit. */
function shortRun({ steps, input: _input, output: _output, ...run }: RunView): object {
  const shown = Object.entries(steps)
    .slice(0, maxShownSteps)
    .map(([path, { output: _value, stored: _stored, text: _text, ...step }]) => [path, step]);
  return { ...run, steps: Object.fromEntries(shown), totalSteps: Object.keys(steps).length };
}
