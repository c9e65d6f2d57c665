import { describe, expect, it } from 'vitest';
import { SseParser } from './sse-parser.ts';

function parse(text: string | Buffer, { size = Infinity, maxEventBytes = 1000 } = {}) {
  const events: string[] = [];
  let longEvents = 0;
  const parser = new SseParser({
    maxEventBytes,
    onEvent: ({ type, data }) => events.push(`${type}=${data.toString()}`),
    onLongEvent: () => (longEvents += 1),
  });
  const bytes = Buffer.from(text);
  const step = Math.min(size, Math.max(bytes.length, 1));
  for (let at = 0; at < bytes.length; at += step) parser.push(bytes.subarray(at, at + step));
  return { parser, events, longEvents };
}

describe('an event stream', () => {
  const stream =
    '\uFEFFevent: endpoint\ndata: /post\n\n: a comment\ndata: é漢\ndata:two\ndata\n\nid: 7\nretry: 20\ndata:\n\nid: 8\n\nother: x\ndata:  padded\n\ndata: cut off';
  const expected = ['endpoint=/post', 'message=é漢\ntwo\n', 'message=', 'message= padded'];

  it.each([
    ['\n', 'line feeds'],
    ['\r\n', 'both'],
    ['\r', 'carriage returns'],
  ])('gives the same events with any line end (%j: %s), however it is cut', (lineEnd) => {
    const text = stream.replaceAll('\n', lineEnd);
    for (const size of [1, 2, 3, 5, 7, 64, Infinity]) {
      const { events, parser } = parse(text, { size });
      expect(events).toEqual(expected);
      expect(parser.lastEventId).toBe('8');
      expect(parser.retryMs).toBe(20);
    }
  });

  it('may use carriage returns as ends of all lines, also of a mark of its own', () => {
    expect(parse('data: a\r\rdata: b\r\r').events).toEqual(['message=a', 'message=b']);
  });

  it('keeps ids only that can be sent back, and waits at most a minute', () => {
    const { parser } = parse('id: é\nretry: soon\ndata\n\n');
    expect(parser.lastEventId).toBeUndefined();
    expect(parser.retryMs).toBeUndefined();
    expect(parse('retry: 999999999\n\n').parser.retryMs).toBe(60_000);
    expect(parse(`id: ${'x'.repeat(2000)}\n\n`, { maxEventBytes: 9000 }).parser.lastEventId).toBe(
      undefined,
    );
  });

  it('skips an event over the limit once, whether one line or many, and reads on', () => {
    for (const size of [1, 10, 999, Infinity]) {
      const one = parse(`data: ${'x'.repeat(5000)}\nid: 3\n\ndata: next\n\n`, { size });
      expect(one).toMatchObject({ events: ['message=next'], longEvents: 1 });
      const many = parse(`${'data: xxxx\n'.repeat(500)}\ndata: next\n\n`, { size });
      expect(many).toMatchObject({ events: ['message=next'], longEvents: 1 });
    }
  });

  it('is read in linear time, whatever it consists of', () => {
    for (const unit of ['\r', '\n', 'a', 'data\n', 'data\r', ':\n', ': \r']) {
      const bytes = Buffer.from(unit.repeat(400_000));
      const startedAt = performance.now();
      parse(bytes, { size: 65_536 });
      expect(performance.now() - startedAt).toBeLessThan(2_000);
    }
  });
});
