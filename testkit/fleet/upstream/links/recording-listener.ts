import type { RequestId } from '../../../../src/protocol/index.ts';
import type {
  LinkEnd,
  LinkListener,
  ReceivedMessage,
} from '../../../../src/fleet/upstream/link.ts';

export interface Recording {
  readonly listener: LinkListener;
  readonly received: ReceivedMessage[];
  readonly failures: Map<RequestId, Error>;
  readonly problems: string[];
  /** How the link ended, once it has. */
  readonly closed: Promise<LinkEnd>;
  /** Resolves when `isTrue` of what was recorded; fails after ten seconds. */
  readonly until: (isTrue: () => boolean) => Promise<void>;
  /** The result of the response to a request. */
  readonly resultOf: (id: RequestId) => unknown;
}

type Waiting = Set<() => void>;

const untilLimitMs = 10_000;

/** Records the events of a link, and fails the test when the link breaks the port's rules. */
export function recordingListener(): Recording {
  const waiting: Waiting = new Set();
  const closed = Promise.withResolvers<LinkEnd>();
  let isClosed = false;
  const note = (): void => {
    if (isClosed) closed.reject(new Error('the link spoke after it was closed'));
    for (const check of waiting) check();
  };
  const recording: Recording = {
    received: [],
    failures: new Map(),
    problems: [],
    closed: closed.promise,
    listener: {
      onMessage: (received) => {
        recording.received.push(received);
        note();
      },
      onRequestFailed: (id, error) => {
        recording.failures.set(id, error);
        note();
      },
      onProblem: (problem) => {
        recording.problems.push(problem);
        note();
      },
      onClose: (ended) => {
        note();
        isClosed = true;
        closed.resolve(ended);
      },
    },
    until: async (isTrue) => {
      const { received, problems, failures } = recording;
      await untilTrue(
        isTrue,
        waiting,
        () =>
          `${JSON.stringify({ received, problems })}, failures ${[...failures.values()].join()}`,
      );
    },
    resultOf: (id) => {
      const found = recording.received.find(
        ({ message }) => message.kind === 'response' && message.id === id,
      )?.message;
      if (found?.kind !== 'response') return undefined;
      return 'result' in found.outcome ? found.outcome.result : found.outcome;
    },
  };
  return recording;
}

async function untilTrue(
  isTrue: () => boolean,
  waiting: Waiting,
  describe: () => string,
): Promise<void> {
  if (isTrue()) return;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const check = (): void => {
    if (isTrue()) resolve();
  };
  const timer = setTimeout(() => {
    reject(new Error(`not in time: ${describe()}`));
  }, untilLimitMs);
  waiting.add(check);
  await promise.finally(() => {
    clearTimeout(timer);
    waiting.delete(check);
  });
}
