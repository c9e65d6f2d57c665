import type { Behaviour } from './behaviour.ts';
import { event, inTurn, sends, streams, type Serve } from './wire-server.ts';

const says = (
  body: object | string,
  headers = {},
): Pick<Behaviour, 'kind' | 'serve' | 'requests'> => ({
  kind: 'chat',
  serve: sends(200, body, headers),
  requests: 1,
});
const isHello = { text: 'Hello' };

const onlyAt =
  (path: string): Serve =>
  (exchange) => {
    const isRight = exchange.request.url === path;
    (isRight ? sends(200, { response: 'Hello' }) : sends(404, 'no such page'))(exchange);
  };

/** Endpoints that take `{messages}` and give the answer in one of the shapes in use. */
export const chatBehaviours: readonly Behaviour[] = [
  { name: 'chat: {response}', ...says({ response: 'Hello' }), outcome: isHello },
  {
    name: 'chat: {choices: [{message}]}',
    ...says({ choices: [{ message: { content: 'Hello' }, finish_reason: 'length' }] }),
    outcome: { text: 'Hello', finish: 'length' },
  },
  { name: 'chat: [{generated_text}]', ...says([{ generated_text: 'Hello' }]), outcome: isHello },
  {
    name: 'chat: plain text',
    ...says('Hello', { 'content-type': 'text/plain' }),
    outcome: isHello,
  },
  {
    name: 'chat: events',
    kind: 'chat',
    serve: streams([event({ token: 'Hel' }), event({ token: 'lo' }), event('[DONE]')], (response) =>
      response.end(),
    ),
    outcome: isHello,
    requests: 1,
  },
  {
    name: 'chat: lines of JSON',
    ...says('{"response":"Hel","done":false}\n{"response":"lo","done":true}\n', {
      'content-type': 'application/x-ndjson',
    }),
    outcome: isHello,
  },
  {
    name: 'chat: at /chat, named without it',
    kind: 'chat',
    serve: onlyAt('/chat'),
    outcome: isHello,
    requests: 1,
  },
  {
    name: 'chat: at another path',
    kind: 'chat',
    url: (url) => `${url}/api/generate`,
    serve: onlyAt('/api/generate'),
    outcome: isHello,
    requests: 2,
  },
  {
    name: 'chat: at /chat, named with it',
    kind: 'chat',
    url: (url) => `${url}/chat`,
    serve: onlyAt('/chat'),
    outcome: isHello,
    requests: 1,
  },
  {
    name: 'chat: nowhere',
    kind: 'chat',
    serve: sends(404, 'no'),
    outcome: { code: 'models.not_found' },
    requests: 2,
  },
  {
    name: 'chat: an error with status 200',
    kind: 'chat',
    serve: sends(200, { error: 'out of memory' }),
    outcome: { code: 'models.overloaded', says: /out of memory/ },
    requests: 2,
  },
  {
    name: 'chat: JSON without a text',
    kind: 'chat',
    serve: sends(200, { id: 5 }),
    outcome: { code: 'models.bad_answer' },
    requests: 2,
  },
  {
    name: 'chat: broken JSON',
    kind: 'chat',
    serve: sends(200, '{"response": "Hel'),
    outcome: { code: 'models.bad_answer' },
    requests: 2,
  },
  {
    name: 'chat: an empty response',
    kind: 'chat',
    serve: sends(200, { response: '' }),
    outcome: { code: 'models.empty_answer' },
    requests: 2,
  },
  {
    name: 'chat: a broken event',
    kind: 'chat',
    serve: streams([event({ token: 'Hel' }), event('{"tok')], (response) => response.end()),
    outcome: { code: 'models.bad_answer' },
    requests: 2,
  },
  {
    name: 'chat: a page',
    kind: 'chat',
    serve: sends(200, '<html><title>Hi</title></html>', { 'content-type': 'text/html' }),
    outcome: { code: 'models.bad_answer', says: /Hi/ },
    requests: 2,
  },
  {
    name: 'chat: cut off',
    kind: 'chat',
    serve: streams([event({ token: 'Hel' })], (response) => response.socket?.destroy()),
    outcome: { code: 'models.cut_off' },
    requests: 2,
  },
  {
    name: 'chat: 500 once',
    kind: 'chat',
    serve: inTurn(sends(500, 'oops'), sends(200, { response: 'Hello' })),
    outcome: isHello,
    requests: 2,
  },
  {
    name: 'chat: an event that reports an error',
    kind: 'chat',
    serve: streams([event({ token: 'Hel' }), event({ error: 'out of memory' })], (response) =>
      response.end(),
    ),
    outcome: { code: 'models.overloaded', says: /out of memory/ },
    requests: 2,
  },
  {
    name: 'chat: events of plain text, of numbers and of nothing',
    kind: 'chat',
    serve: streams(
      [event('Hel'), event('lo '), event('5'), event(''), event('{}'), event('true')],
      (response) => response.end(),
    ),
    outcome: { text: 'Hello 5' },
    requests: 1,
  },
  {
    name: 'chat: a line without an end',
    kind: 'chat',
    serve: streams([`data: ${'x'.repeat(170_000)}`], () => undefined),
    outcome: { code: 'models.endless_answer', says: /160000/ },
    requests: 1,
  },
];
