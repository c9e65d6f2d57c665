import { describe, expect, it } from 'vitest';
import { decodeMessage, encodeError, encodeNotification, encodeResult } from './message.ts';

const decode = (text: string | Buffer) =>
  decodeMessage(typeof text === 'string' ? Buffer.from(text) : text);

describe('a message', () => {
  it('is a request when it has a method and an id', () => {
    expect(decode('{"jsonrpc":"2.0","id":"a","method":"ping"}')).toEqual({
      kind: 'request',
      id: 'a',
      method: 'ping',
      params: {},
    });
  });

  it('is a notification when it has a method and no id', () => {
    expect(decode('{"jsonrpc":"2.0","method":"n","params":{"a":1}}')).toEqual({
      kind: 'notification',
      method: 'n',
      params: { a: 1 },
    });
  });

  it('is a response when it has a result or an error', () => {
    expect(decode('{"jsonrpc":"2.0","id":1,"result":{}}')).toMatchObject({
      kind: 'response',
      outcome: { result: {} },
    });
    expect(
      decode('{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"m","data":2}}'),
    ).toMatchObject({ outcome: { error: { code: -1, message: 'm', data: 2 } } });
    expect(decode('{"jsonrpc":"2.0","id":null,"error":{"code":-1}}')).toMatchObject({
      id: null,
      outcome: { error: { code: -1, message: '' } },
    });
  });

  it('may come in a batch, whose parts are judged one by one', () => {
    expect(decode('[{"jsonrpc":"2.0","id":1,"method":"m"},5]')).toMatchObject({
      kind: 'batch',
      messages: [{ kind: 'request' }, { kind: 'malformed', error: { code: -32_600 } }],
    });
  });

  it('survives its own encoding', () => {
    expect(decode(encodeResult(7, { a: 1 }))).toMatchObject({ id: 7 });
    expect(decode(encodeError('x', { code: -5, message: 'm' }))).toMatchObject({ id: 'x' });
    expect(decode(encodeNotification('n'))).toMatchObject({ kind: 'notification', params: {} });
  });
});

describe('a response', () => {
  it('with an error of null beside its result is that result', () => {
    expect(decode('{"jsonrpc":"2.0","id":1,"result":{"a":1},"error":null}')).toEqual({
      kind: 'response',
      id: 1,
      outcome: { result: { a: 1 } },
    });
  });

  it('with a result and an error is the error, and says that it had both', () => {
    const text = '{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"x"}}';
    expect(decode(text)).toEqual({
      kind: 'response',
      id: 1,
      outcome: { error: { code: 1, message: 'x' } },
      isAmbiguous: true,
    });
  });
});

describe('what is no message', () => {
  it.each([
    ['text that is not JSON', '{oops', -32_700, null],
    ['an empty text', '', -32_700, null],
    ['bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0x22]), -32_700, null],
    ['a number', '5', -32_600, null],
    ['null', 'null', -32_600, null],
    ['an empty batch', '[]', -32_600, null],
    ['a batch of 101', `[${'1,'.repeat(100)}1]`, -32_600, null],
    ['another version of JSON-RPC', '{"jsonrpc":"1.0","id":3,"method":"m"}', -32_600, 3],
    ['no version of JSON-RPC', '{"id":3,"method":"m"}', -32_600, 3],
    ['neither method nor result', '{"jsonrpc":"2.0","id":3}', -32_600, 3],
    ['a method that is no string', '{"jsonrpc":"2.0","id":3,"method":1}', -32_600, 3],
    ['a null id', '{"jsonrpc":"2.0","id":null,"method":"m"}', -32_600, null],
    ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"m"}', -32_600, null],
    ['a fractional id', '{"jsonrpc":"2.0","id":1.5,"method":"m"}', -32_600, null],
    ['an id beyond 2^53', '{"jsonrpc":"2.0","id":1e300,"method":"m"}', -32_600, null],
    [
      'an id of a megabyte',
      `{"jsonrpc":"2.0","id":"${'x'.repeat(1e6)}","method":"m"}`,
      -32_600,
      null,
    ],
    ['params that are a list', '{"jsonrpc":"2.0","id":3,"method":"m","params":[1]}', -32_602, 3],
    ['params that are a string', '{"jsonrpc":"2.0","id":3,"method":"m","params":"a"}', -32_602, 3],
    ['a result without an id', '{"jsonrpc":"2.0","result":{}}', -32_600, null],
    ['an error that is a string', '{"jsonrpc":"2.0","id":3,"error":"x"}', -32_600, 3],
  ])('%s is answered with an error addressed to whoever can be told', (_name, text, code, id) => {
    expect(decode(text)).toMatchObject({ kind: 'malformed', id, error: { code } });
  });

  it('never quotes what it could not read', () => {
    expect(JSON.stringify(decode('{"password": hunter2'))).not.toContain('hunter2');
  });
});
