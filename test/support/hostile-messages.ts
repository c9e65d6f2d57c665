import { statelessMeta, type Json } from '../../testkit/gateway/stdio-peer.ts';
import { seededRandom } from '../../testkit/sample.ts';

/** What is said, and which error codes are right; `result` where an answer is right as well. */
export interface Hostile {
  readonly name: string;
  readonly text: string | Buffer;
  readonly expected: readonly (number | 'result')[];
}

export const parseError = -32_700;
export const invalidRequest = -32_600;
const notFound = -32_601;
export const invalidParams = -32_602;

const nesting = 10_000;
export const call = (params: unknown, id: unknown = 1): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params });
const request = (parts: Json): string => JSON.stringify({ jsonrpc: '2.0', id: 1, ...parts });

const notJson: Hostile[] = [
  '{',
  '}',
  '{"jsonrpc":"2.0","id":1,"method":"ping"',
  '{"jsonrpc":"2.0","id":1,"method":"ping"}}',
  "{'jsonrpc':'2.0','id':1,'method':'ping'}",
  '{jsonrpc:"2.0"}',
  '{"a":1,}',
  '[1,]',
  'undefined',
  'NaN',
  'nul',
  '"half',
  '\u0000',
  '\uFEFF{"jsonrpc":"2.0","id":1,"method":"ping"}',
  '{"id":01}',
  '{"a":"\\x"}',
  '{"a":"\\ud8"}',
  'GET / HTTP/1.1',
  'Content-Length: 10',
  '<?xml version="1.0"?>',
  '{"jsonrpc":"2.0","id":1,"method":"ping"} trailing',
  '1 2',
  '--',
  '{"a":1e}',
].map((text) => ({ name: `text ${JSON.stringify(text)}`, text, expected: [parseError] }));

const notUtf8: Hostile[] = [
  [0xff],
  [0xc3, 0x28],
  [0xe2, 0x82],
  [0xf0, 0x9f, 0x98],
  [0xed, 0xa0, 0x80],
  [0xc0, 0xaf],
  [0xf5, 0x80, 0x80, 0x80],
].map((bytes) => ({
  name: `bytes ${Buffer.from(bytes).toString('hex')} in a string`,
  text: Buffer.concat([
    Buffer.from('{"jsonrpc":"2.0","id":1,"method":"'),
    Buffer.from(bytes),
    Buffer.from('"}'),
  ]),
  expected: [parseError],
}));

const notMessages: Hostile[] = [
  'null',
  'true',
  '1',
  '1e999',
  '"ping"',
  '{}',
  '[]',
  '[[]]',
  '[1,2,3]',
  `[${'{},'.repeat(200)}{}]`,
  '{"jsonrpc":"1.0","id":1,"method":"ping"}',
  '{"jsonrpc":2.0,"id":1,"method":"ping"}',
  '{"jsonrpc":null,"id":1,"method":"ping"}',
  '{"id":1,"method":"ping"}',
  '{"jsonrpc":"2.0","id":1}',
  '{"jsonrpc":"2.0","id":1,"method":null}',
  '{"jsonrpc":"2.0","id":1,"method":1}',
  '{"jsonrpc":"2.0","id":1,"method":["ping"]}',
  '{"jsonrpc":"2.0","id":1,"method":{}}',
  '{"jsonrpc":"2.0","id":null,"method":"ping"}',
  '{"jsonrpc":"2.0","id":true,"method":"ping"}',
  '{"jsonrpc":"2.0","id":[],"method":"ping"}',
  '{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}',
  '{"jsonrpc":"2.0","id":1.5,"method":"ping"}',
  '{"jsonrpc":"2.0","id":1e400,"method":"ping"}',
  '{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}',
  `{"jsonrpc":"2.0","id":"${'i'.repeat(1_000_000)}","method":"ping"}`,
  `{"jsonrpc":"2.0","id":${'9'.repeat(10_000)},"method":"ping"}`,
  '{"jsonrpc":"2.0","result":{}}',
  '{"jsonrpc":"2.0","id":1,"error":5}',
  '{"jsonrpc":"2.0","id":1,"error":{"code":"x"}}',
  '{"__proto__":{"jsonrpc":"2.0","id":1,"method":"ping"}}',
  '['.repeat(nesting) + ']'.repeat(nesting),
  '{"a":'.repeat(nesting) + '1' + '}'.repeat(nesting),
  '['.repeat(nesting),
  request({ method: 'ping', params: JSON.parse('['.repeat(500) + ']'.repeat(500)) as unknown }),
].map((text) => ({
  name: `value ${text.length > 80 ? `${text.slice(0, 60)}… (${text.length})` : text}`,
  text,
  expected: [invalidRequest],
}));

const oddParams = [null, 1, 'x', true, [], [1]];
const methods = [
  'initialize',
  'ping',
  'tools/list',
  'tools/call',
  'resources/list',
  'resources/read',
  'resources/subscribe',
  'prompts/list',
  'prompts/get',
  'completion/complete',
  'logging/setLevel',
];

const wrongParams: Hostile[] = [
  ...methods.flatMap((method) =>
    oddParams.map((params) => ({
      text: request({ method, params }),
      expected: [invalidParams],
    })),
  ),
  ...[{}, { name: 1 }, { name: null }, { name: ['echo'] }, { name: { toString: 'echo' } }].map(
    (params) => ({ text: call(params), expected: [invalidParams] }),
  ),
  ...[null, 1, 'x', [], true].map((args) => ({
    text: call({ name: 'echo', arguments: args }),
    expected: [invalidParams],
  })),
  ...[
    '',
    'nope',
    '__proto__',
    'constructor',
    'toString',
    '../echo',
    'echo\u0000',
    'x'.repeat(1e5),
  ].map((name) => ({ text: call({ name }), expected: [invalidParams] })),
  ...['', 'file:///etc/passwd', '../..', 'javascript:1', '\u0000'].map((uri) => ({
    text: request({ method: 'resources/read', params: { uri } }),
    expected: [-32_002],
  })),
  ...[0, {}, '', '-1', '9'.repeat(50), 'a\nb'].map((cursor) => ({
    text: request({ method: 'tools/list', params: { cursor } }),
    expected: [invalidParams],
  })),
  ...[{ ref: 1 }, { ref: { type: 'x' } }, { ref: { type: 'ref/prompt' } }].map((params) => ({
    text: request({
      method: 'completion/complete',
      params: { argument: { name: 'a', value: 'b' }, ...params },
    }),
    expected: [invalidParams],
  })),
  ...[1, '', 'LOUD', null].map((level) => ({
    text: request({ method: 'logging/setLevel', params: { level } }),
    expected: [invalidParams],
  })),
  ...[{ who: 1 }, [], 'x', { who: null }].map((args) => ({
    text: request({ method: 'prompts/get', params: { name: 'greet', arguments: args } }),
    expected: [invalidParams],
  })),
].map((entry) => ({ ...entry, name: `wrong ${entry.text.slice(0, 110)}` }));

const unknownMethods: Hostile[] = [
  '',
  'PING',
  'ping ',
  'tools',
  'tools/',
  'tools/call/x',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  'toString',
  'rpc.discover',
  'notifications/initialized',
  'sampling/createMessage',
  'x'.repeat(100_000),
  '\u0000',
  '💥'.repeat(100),
].map((method) => ({
  name: `method ${JSON.stringify(method.slice(0, 40))}`,
  text: request({ method }),
  expected: [notFound],
}));

const pollution: Hostile[] = [
  '{"__proto__":{"polluted":1},"text":"a"}',
  '{"constructor":{"prototype":{"polluted":1}},"text":"a"}',
  '{"text":{"__proto__":{"polluted":1}}}',
].map((args) => ({
  name: `arguments ${args}`,
  text: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":${args}}}`,
  expected: ['result'],
}));

const oddVersions: Hostile[] = [
  { version: '1900-01-01', expected: [-32_022] },
  { version: '2025-11-25', expected: [-32_022] },
  { version: '', expected: [-32_022] },
  { version: 'x'.repeat(10_000), expected: [-32_022] },
  { version: 20_260_728, expected: [invalidParams] },
  { version: null, expected: [invalidParams] },
  { version: ['2026-07-28'], expected: [invalidParams] },
].map(({ version, expected }) => ({
  name: `version ${JSON.stringify(version).slice(0, 40)}`,
  text: request({
    method: 'tools/list',
    params: { _meta: { ...statelessMeta, 'io.modelcontextprotocol/protocolVersion': version } },
  }),
  expected,
}));

const mutationCount = 120;

/** Valid messages with a few bytes changed: nobody can say what they are, but they must be answered. */
function mutations(): Hostile[] {
  const random = seededRandom(20_260_728);
  const pick = (below: number): number => Math.floor(random() * below);
  const base = Buffer.from(
    call({ name: 'echo', arguments: { text: 'äöü', list: [1, { a: null }] } }),
  );
  return Array.from({ length: mutationCount }, (_, index) => {
    const bytes = Buffer.from(base);
    for (let change = pick(4); change >= 0; change -= 1) {
      // Never a line end: that would make two messages.
      bytes[pick(bytes.length)] = 32 + pick(224);
    }
    const cut = random() < 0.2 ? bytes.subarray(0, 1 + pick(bytes.length - 1)) : bytes;
    return {
      name: `mutation ${index}`,
      text: cut,
      expected: [parseError, invalidRequest, notFound, invalidParams, 'result'],
    };
  });
}

/** Lines and bodies that no well-meaning client sends. */
export const hostileMessages: readonly Hostile[] = [
  ...notJson,
  ...notUtf8,
  ...notMessages,
  ...wrongParams,
  ...unknownMethods,
  ...pollution,
  ...oddVersions,
  ...mutations(),
];
