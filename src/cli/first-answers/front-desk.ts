import { isAbsolute, join } from 'node:path';
import type { Readable } from 'node:stream';
import {
  conditionsDigest,
  type Call,
  answerKey,
  readKeptAnswers,
  type KeptAnswers,
  writeKeptAnswers,
  firstLists,
  resultLine,
  resultOf,
} from './kept-answers.ts';
import type { Opening, StartConditions } from '../../contract/opening/index.ts';
import { systemTimers, type Timers, userFolder } from '../../kernel/index.ts';

/**
 * Answers what a client asks first from what an earlier process answered, while the system that could
 * answer everything is still to be loaded.
 *
 * 1. It answers only if nothing has changed that the answer depends on, and only what was asked then, in
 *    the same words. Anything else is left for the system, and so is all that comes after it.
 * 2. The system is given everything that was read, and goes through it again: it comes to the state it
 *    would be in had it answered itself, and corrects an answer that it would not have given.
 */
export interface FrontDesk {
  /** Resolves when there is nothing to answer at the moment, so that loading the system delays no answer. */
  readonly untilQuiet: Promise<void>;
  /** Ends its work: the input is free for others, and what the system answers is kept for the next start. */
  handOver(conditions: StartConditions): Opening;
}

/** Undefined where the data directory cannot be known without reading settings. */
export function openFrontDesk(
  call: Call,
  streams: DeskStreams,
  timers: Timers = systemTimers,
): FrontDesk | undefined {
  const home = homeOf(call);
  if (home === undefined) return undefined;
  const folder = join(home, 'first-answers');
  const kept = readKeptAnswers(folder, call);
  const answering = kept && answerFrom(kept, streams, timers);
  return {
    untilQuiet: answering?.untilQuiet ?? Promise.resolve(),
    handOver: (conditions) => {
      const { received, answered } = answering?.end() ?? nothingRead;
      const isHere = conditions.home === home;
      const onAnswer = isHere ? createKeeper({ folder, call, conditions, kept, timers }) : () => {};
      return { received, answered, onAnswer };
    },
  };
}

const nothingRead = { received: new Uint8Array(), answered: new Map<string | number, string>() };

/** A wrong guess costs nothing: what is kept there was kept under the same words and variables. */
function homeOf({ argv, env }: Call): string | undefined {
  const at = argv.indexOf('--home');
  const named = (at === -1 ? undefined : argv[at + 1]) ?? env['TUTTI_HOME'] ?? '';
  if (named !== '') return isAbsolute(named) ? named : undefined;
  const { platform } = process;
  const homeDirectory = env[platform === 'win32' ? 'USERPROFILE' : 'HOME'] ?? '';
  return homeDirectory === '' ? undefined : userFolder({ env, homeDirectory, platform }, 'data');
}

interface DeskStreams {
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

function answerFrom(
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

interface KeeperParts {
  readonly folder: string;
  readonly call: Call;
  readonly conditions: StartConditions;
  /** What was kept before. */
  readonly kept: KeptAnswers | undefined;
  readonly timers: Timers;
}

/** Answers are written when no other followed for so long. */
const keepAfterMs = 500;

/**
 * Keeps what the system answers to the first requests of a client, unless something it depends on has
 * changed until it is written: an answer may be of before the change.
 */
function createKeeper(parts: KeeperParts): Opening['onAnswer'] {
  const { folder, call, conditions, kept, timers } = parts;
  const digest = conditionsDigest(conditions, call);
  const known = kept?.digest === digest ? kept?.results : undefined;
  const fresh: Record<string, string> = {};
  let opening: unknown;
  let stopWaiting = (): void => {};

  const keep = (): void => {
    const isNews = Object.entries(fresh).some(([key, result]) => known?.[key] !== result);
    if (!isNews || digest === undefined || conditionsDigest(conditions, call) !== digest) return;
    try {
      writeKeptAnswers(folder, call, { conditions, digest, results: { ...known, ...fresh } });
    } catch {
      // The next start takes longer, and nothing else.
    }
  };

  return ({ id, method, params }, line) => {
    if (method === 'initialize') opening ??= params;
    else if (!firstLists.includes(method)) return;
    const result = resultOf(id, line);
    if (digest === undefined || opening === undefined || result === undefined) return;
    const key = answerKey(opening, method, params);
    if (key === undefined) return;
    fresh[key] = result;
    stopWaiting();
    stopWaiting = timers.after(keepAfterMs, keep);
  };
}
