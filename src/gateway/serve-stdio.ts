import type { Readable, Writable } from 'node:stream';
import type { Caller } from '../contract/caller/index.ts';
import type { Opening } from '../contract/opening/index.ts';
import type { McpServer } from '../contract/server/index.ts';
import type { Log } from '../kernel/index.ts';
import { defaultJsonLimits, encodeError, LineReader, rpcErrorCode } from '../protocol/index.ts';
import { createServing } from './answer-request.ts';
import { PipeConnection, type OnRoots, type SendText } from './pipe-connection.ts';
import { receiveMessage } from './receive-message.ts';
import { LineWriter } from './line-writer.ts';

export interface StdioOptions {
  readonly server: McpServer;
  /** On whose behalf the client calls: the user who started it. */
  readonly caller: Caller;
  readonly input: Readable;
  readonly output: Writable;
  readonly log: Log;
  /** The oldest protocol version that is served. */
  readonly minProtocolVersion?: string | undefined;
  /** Keys of `baggage` that reach tools and servers. */
  readonly baggageKeys?: readonly string[];
  /** Maximum line length. */
  readonly maxMessageBytes?: number;
  /** How long requests may continue after the input ended. */
  readonly drainLimitMs?: number;
  /** How long the client may leave responses unread. */
  readonly unreadLimitMs?: number;
  /** Input that was read and answered before. */
  readonly opening?: Opening | undefined;
  /** Called when a client with roots is ready, and when its roots changed; `ask` requests them. */
  readonly onRoots?: OnRoots | undefined;
}

export interface StdioGateway {
  /** Resolves when the input ended, or the output broke or stays unread, and everything has settled. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

const defaultDrainLimitMs = 5_000;
const defaultUnreadLimitMs = 5 * 60_000;

/**
 * Serves MCP, both eras, as lines of JSON over a pair of streams. An invalid line gets an error response, and the
 * next one is read. The caller closes the streams and the server.
 */
export function serveStdio(options: StdioOptions): StdioGateway {
  const { input, output, log, baggageKeys = [], minProtocolVersion: minVersion } = options;
  const maxBytes = options.maxMessageBytes ?? defaultJsonLimits.maxBytes;
  const unreadLimitMs = options.unreadLimitMs ?? defaultUnreadLimitMs;
  const writer = new LineWriter({ output, input, unreadLimitMs, onUnread });
  const send: SendText = (text, isLast) => writer.write(text, isLast);
  const connection = new PipeConnection(
    {
      serving: createServing(options.server, log, { minVersion, baggageKeys }),
      caller: options.caller,
    },
    send,
    options,
  );
  const reader = new LineReader({ maxBytes, keptBytes: 0, onLine, onLongLine });
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  let isOpen = true;
  let isEnding = false;

  function onLine(bytes: Buffer): void {
    if (!isBlank(bytes)) connection.receive(receiveMessage(bytes, maxBytes));
  }

  function onLongLine(): void {
    const message = `The message is larger than ${maxBytes} bytes`;
    send(encodeError(null, { code: rpcErrorCode.invalidRequest, message }));
  }

  function onUnread(): void {
    log.warn('stdio client does not read responses', { unreadLimitMs });
    void close();
  }

  const onData = (chunk: Buffer | string): void =>
    reader.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
  const onEnd = (): void => {
    if (isEnding) return;
    isEnding = true;
    reader.end();
    void connection
      .untilIdle(options.drainLimitMs ?? defaultDrainLimitMs)
      .finally(() => void close());
  };
  const onBroken = (error: Error): void => {
    log.debug('stdio stream broke', { error });
    void close();
  };

  async function close(): Promise<void> {
    if (!isOpen) return closed;
    isOpen = false;
    connection.close();
    input.off('data', onData).off('end', onEnd).off('close', onEnd).pause();
    await writer.close();
    // The error listeners stay: a write that fails only now must not end the process.
    resolve();
    return closed;
  }

  if (options.opening) reader.push(Buffer.from(options.opening.received));
  input.on('data', onData).once('end', onEnd).once('close', onEnd).on('error', onBroken);
  output.on('error', onBroken);
  // The previous reader left it paused, so that no input is lost.
  if (options.opening) input.resume();
  // It may have ended under the previous reader.
  if (input.readableEnded || input.destroyed) onEnd();
  return { closed, close };
}

const space = 0x20;
const tab = 0x09;
const carriageReturn = 0x0d;

/** Blank lines are separators, not messages. */
function isBlank(bytes: Buffer): boolean {
  // By index: an iterator would allocate an object per line.
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte !== space && byte !== tab && byte !== carriageReturn) return false;
  }
  return true;
}
