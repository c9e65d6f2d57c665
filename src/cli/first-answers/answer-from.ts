import type { Readable } from 'node:stream';
import type { Opening } from '../../contract/opening/index.ts';
import type { Timers } from '../../kernel/index.ts';
import { answerKey, type KeptAnswers } from './kept-answers.ts';
import { firstLists, resultLine } from './result-line.ts';

export interface DeskStreams {
  readonly stdin: Readable;
  readonly stdout: { write(text: string): unknown };
}

/** An input that is being read, and answered as far as is known how. */
interface Answering {
  readonly untilQuiet: Promise<void>;
  /** Leaves the input paused. */
  end(): Pick<Opening, 'received' | 'answered'>;
}

/** How long a client may take to say more before the system is loaded. */
const quietMs = 60;
/** Beyond this the input waits for the system. */
const maxReceivedBytes = 262_144;

export function answerFrom(
  { results }: KeptAnswers,
  { stdin, stdout }: DeskStreams,
  timers: Timers,
): Answering {
  const chunks: Buffer[] = [];
  const answered = new Map<string | number, string>();
  const { promise: untilQuiet, resolve: becomeQuiet } = Promise.withResolvers<void>();
  let receivedBytes = 0;
  let rest = '';
  let opening: unknown;
  let isAnswering = true;
  let stopWaiting = timers.after(quietMs, becomeQuiet);

  /** False when the line, and all after it, is for the system. */
  const answer = (line: string): boolean => {
    const message = readMessage(line);
    if (!message) return false;
    const { id, method, params } = message;
    if (id === undefined) return method === 'notifications/initialized';
    if (method === 'initialize' && opening === undefined) opening = params;
    else if (opening === undefined || !firstLists.includes(method)) return false;
    const key = answerKey(opening, method, params);
    const result: unknown = key === undefined ? undefined : results[key];
    if (typeof result !== 'string' || answered.has(id)) return false;
    answered.set(id, resultLine(id, result));
    stdout.write(`${resultLine(id, result)}\n`);
    if (method !== 'initialize') becomeQuiet();
    return true;
  };

  const onData = (chunk: Buffer): void => {
    stopWaiting();
    stopWaiting = timers.after(quietMs, becomeQuiet);
    chunks.push(chunk);
    receivedBytes += chunk.length;
    if (receivedBytes > maxReceivedBytes) stdin.pause();
    if (!isAnswering) return;
    // A character per byte: a chunk may end within a letter.
    const lines = (rest + chunk.toString('latin1')).split('\n');
    rest = lines.pop() ?? '';
    isAnswering = receivedBytes <= maxReceivedBytes && lines.every(answer);
    if (!isAnswering) becomeQuiet();
  };

  stdin.on('data', onData).once('end', becomeQuiet).once('error', becomeQuiet);
  return {
    untilQuiet,
    end: () => {
      stopWaiting();
      stdin.off('data', onData).off('end', becomeQuiet).off('error', becomeQuiet).pause();
      return { received: Buffer.concat(chunks), answered };
    },
  };
}

interface PlainMessage {
  readonly id: string | number | undefined;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** A request or notification; undefined for everything that needs more than a look. */
function readMessage(bytes: string): PlainMessage | undefined {
  let message: unknown;
  try {
    message = JSON.parse(Buffer.from(bytes, 'latin1').toString('utf8'));
  } catch {
    return undefined;
  }
  if (!isRecord(message) || message['jsonrpc'] !== '2.0') return undefined;
  const { id, method, params = {} } = message;
  const isId = id === undefined || typeof id === 'string' || typeof id === 'number';
  if (!isId || typeof method !== 'string' || !isRecord(params)) return undefined;
  return typeof id === 'number' && !Number.isSafeInteger(id) ? undefined : { id, method, params };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
