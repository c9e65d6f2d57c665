import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../kernel/index.ts';
import { aDirectory } from '../../../testkit/observe/a-directory.ts';
import {
  plainSecret,
  plantedNames,
  plantedShapes,
  tellTale,
} from '../../../testkit/observe/planted-secrets.ts';
import { createLog, logLimits, type LogOptions, type RunningLog } from './create-log.ts';

function aLog(options: Partial<LogOptions> = {}): { log: RunningLog; lines: string[] } {
  const lines: string[] = [];
  const stream = { write: (text: string) => lines.push(text) };
  return { log: createLog({ level: 'debug', stream, now: () => 0, ...options }), lines };
}

const parse = (line: string | undefined): Record<string, unknown> =>
  JSON.parse(line ?? '') as Record<string, unknown>;

describe('a log', () => {
  it('writes one JSON object a line: time, level, message and fields', () => {
    const { log, lines } = aLog();
    log.info('server started', { port: 8004, nested: { a: [1] } });
    expect(lines).toEqual([
      `{"time":"1970-01-01T00:00:00.000Z","level":"info","pid":${process.pid},"msg":"server started","port":8004,"nested":{"a":[1]}}\n`,
    ]);
  });

  it('keeps one line for a message with line breaks', () => {
    const { log, lines } = aLog();
    log.warn('two\nlines', { text: 'a\r\nb\u2028c' });
    expect(lines).toHaveLength(1);
    expect(lines[0]!.indexOf('\n')).toBe(lines[0]!.length - 1);
  });

  it('leaves out what is less important than its level', () => {
    const { log, lines } = aLog({ level: 'warn' });
    for (const level of ['debug', 'info', 'warn', 'error'] as const) log[level](level);
    expect(lines.map((line) => parse(line)['msg'])).toEqual(['warn', 'error']);
    const silent = aLog({ level: 'silent' });
    silent.log.error('nothing');
    expect(silent.lines).toEqual([]);
  });

  it('gives the fields of a child to each of its lines', () => {
    const { log, lines } = aLog();
    log.child({ server: 'code', a: 1 }).child({ a: 2 }).info('called', { tool: 'x' });
    expect(parse(lines[0])).toMatchObject({ server: 'code', a: 2, tool: 'x' });
  });

  it('names the span that the code runs in', () => {
    const ids = { traceId: 'aa', spanId: 'bb' };
    const { log, lines } = aLog({ activeSpan: () => ids });
    log.info('inside');
    expect(parse(lines[0])).toMatchObject(ids);
  });

  it('does not let a field replace what every line has', () => {
    const { log, lines } = aLog();
    log.info('true message', { msg: 'false', level: 'error', time: 1 });
    expect(parse(lines[0])).toMatchObject({
      msg: 'true message',
      level: 'info',
      msg_: 'false',
      level_: 'error',
      time_: 1,
    });
  });

  it('keeps the message and drops the fields when a line gets too long', () => {
    const { log, lines } = aLog();
    const text = 'x'.repeat(logLimits.maxStringLength);
    log.info('big', { list: Array.from({ length: 50 }, () => text) });
    expect(lines[0]!.length).toBeLessThan(1_000);
    expect(parse(lines[0])).toMatchObject({
      msg: 'big',
      cut: expect.stringContaining('characters'),
    });
  });

  it('takes fields that JSON cannot: circles, big integers, errors', () => {
    const { log, lines } = aLog();
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    log.error('odd', { circle, big: 1n, error: new Error('no') });
    expect(parse(lines[0])).toMatchObject({
      circle: { self: '[circular]' },
      big: '1',
      error: { message: 'no' },
    });
  });

  it('writes to its file, at once, and not to the stream', () => {
    const file = join(aDirectory(), 'logs', 'tutti.log');
    const { log, lines } = aLog({ file });
    log.info('kept');
    expect(parse(readFileSync(file, 'utf8'))).toMatchObject({ msg: 'kept' });
    expect(lines).toEqual([]);
    log.close();
  });

  it('writes to the stream what its file does not take, and never throws', () => {
    const file = join(aDirectory(), 'tutti.log');
    mkdirSync(file);
    const { log, lines } = aLog({ file });
    log.info('homeless');
    expect(lines).toHaveLength(1);
    const broken = createLog({
      level: 'info',
      stream: {
        write: () => {
          throw new Error('closed');
        },
      },
    });
    expect(() => broken.error('nowhere')).not.toThrow();
  });
});

describe('no secret reaches the log', () => {
  it.each(Object.entries(plantedShapes))('by its looks: %s', (_kind, secret) => {
    const { log, lines } = aLog();
    const error = new Error(`with ${secret}`, { cause: { nested: new Error(secret) } });
    log.error(`message ${secret}`, { secret, list: [{ deep: secret }], error });
    log.child({ bound: secret }).info('child', { [secret]: 'as a key' });
    expect(lines.join('')).not.toContain(tellTale(secret));
  });

  it.each(plantedNames)('by its name: %s', (name) => {
    const { log, lines } = aLog();
    const error = Object.assign(new Error('x'), { config: { headers: { [name]: plainSecret } } });
    log.child({ [name]: plainSecret }).info('x', { a: [{ [name]: plainSecret }], error });
    expect(lines.join('')).not.toContain(plainSecret);
  });

  it('when it is wrapped, under whatever name', () => {
    const { log, lines } = aLog();
    const wrapped = new Secret(plainSecret);
    log.info(`as text ${wrapped.toString()}`, { harmless: wrapped, list: [wrapped] });
    expect(lines.join('')).not.toContain(plainSecret);
  });
});
