import { createHash } from 'node:crypto';
import type { RunStatus, RunView } from '../../contract/run/index.ts';
import { InvalidRequestError } from '../errors.ts';

/** What a client has got of a run. */
export interface EventPosition {
  /** Entries of the journal. */
  readonly number: number;
  /** Of the latest state; empty before the first. */
  readonly digest: string;
}

/** How a run stands, without its steps. */
export interface RunState extends Pick<
  RunView,
  'runId' | 'status' | 'waitingFor' | 'startedAt' | 'endedAt'
> {
  readonly error?: RunView['error'];
  readonly totalSteps: number;
  readonly doneSteps: number;
}

export function runState(view: RunView): RunState {
  const { runId, status, waitingFor, startedAt, endedAt, error } = view;
  const steps = Object.values(view.steps);
  return {
    runId,
    status,
    startedAt,
    endedAt,
    waitingFor,
    ...(error && { error }),
    totalSteps: steps.length,
    doneSteps: steps.filter((step) => step.endedAt !== null).length,
  };
}

/** The same for states that mean the same to a client: what entries of the journal say is left out. */
export function stateDigest({ status, waitingFor, endedAt }: RunState): string {
  const waits = waitingFor.map((wait) => [
    wait.kind,
    wait.step,
    wait.kind === 'approval' ? wait.approvalId : null,
  ]);
  const text = JSON.stringify([status, endedAt, waits]);
  return createHash('sha256').update(text).digest('hex').slice(0, digestLength);
}

const digestLength = 12;
const idPattern = new RegExp(`^(\\d{1,10})\\.([0-9a-f]{${digestLength}})?$`);

export function eventId({ number, digest }: EventPosition): string {
  return `${number}.${digest}`;
}

/** Throws `api.invalid_request` for an id that no stream gave. */
export function readEventId(id: string | undefined): EventPosition {
  if (id === undefined || id === '') return { number: 0, digest: '' };
  const [, number, digest = ''] = idPattern.exec(id) ?? [];
  if (number !== undefined) return { number: Number(number), digest };
  throw unknownEventId();
}

export function unknownEventId(): InvalidRequestError {
  const message = 'is not an event id of this stream';
  return new InvalidRequestError([{ in: 'header', path: 'Last-Event-ID', message }]);
}

export function isOver(status: RunStatus): boolean {
  return status === 'succeeded' || status === 'failed' || status === 'cancelled';
}
