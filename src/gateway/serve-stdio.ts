import type { Readable, Writable } from 'node:stream';
import type { McpServer } from '../contract/server/index.ts';
import type { Log } from '../kernel/index.ts';
import { decodeMessage, defaultJsonLimits, encodeError, rpcErrorCode } from '../protocol/index.ts';
import { createServing } from './answer-request.ts';
import { PipeConnection } from './pipe-connection.ts';
import { LineReader, type Line } from './read-lines.ts';
import { LineWriter } from './write-lines.ts';

export interface StdioOptions {
  readonly server: McpServer;
  readonly input: Readable;
  readonly output: Writable;
  readonly log: Log;
  /** The longest line accepted. */
  readonly maxMessageBytes?: number;
  /** How long requests may go on after the input ended. */
  readonly drainLimitMs?: number;
  /** How long the client may leave its answers unread. */
  readonly unreadLimitMs?: number;
}

export interface StdioGateway {
  /** Resolves when the input ended, or the output broke or is not read, and everything is settled. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

const defaultDrainLimitMs = 5_000;
const defaultUnreadLimitMs = 5 * 60_000;

/**
 * Speaks MCP, both eras, as lines of JSON over a pair of streams. What is wrong with one line is
 * answered and the next one is read. The streams and the server stay the caller's to close.
 */
export function serveStdio(options: StdioOptions): StdioGateway {
  const { input, output, log } = options;
  const maxBytes = options.maxMessageBytes ?? defaultJsonLimits.maxBytes;
  const unreadLimitMs = options.unreadLimitMs ?? defaultUnreadLimitMs;
  const writer = new LineWriter({ output, input, unreadLimitMs, onUnread });
  const send = (text: string): void => writer.write(text);
  const connection = new PipeConnection(createServing(options.server, log), send);
  const reader = new LineReader(maxBytes, receive);
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  let isOpen = true;
  let isEnding = false;

  function receive(line: Line): void {
    if (line.kind === 'line') {
      if (isBlank(line.bytes)) return;
      connection.receive(decodeMessage(line.bytes, { ...defaultJsonLimits, maxBytes }));
      return;
    }
    const message = `The message is larger than ${maxBytes} bytes`;
    send(encodeError(null, { code: rpcErrorCode.invalidRequest, message }));
  }

  function onUnread(): void {
    log.warn('stdio client does not read its answers', { unreadLimitMs });
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

  input.on('data', onData).once('end', onEnd).once('close', onEnd).on('error', onBroken);
  output.on('error', onBroken);
  return { closed, close };
}

const space = 0x20;
const tab = 0x09;
const carriageReturn = 0x0d;

/** Blank lines end messages, they are none. */
function isBlank(bytes: Buffer): boolean {
  for (const byte of bytes) {
    if (byte !== space && byte !== tab && byte !== carriageReturn) return false;
  }
  return true;
}
