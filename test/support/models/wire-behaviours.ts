import type { Behaviour } from './behaviour.ts';
import {
  answers,
  dropsConnection,
  event,
  hangs,
  inTurn,
  openAiChunk,
  openAiEnd,
  sends,
  sendsRaw,
  streams,
} from './wire-server.ts';

const failure = (message: string, more: object = {}): object => ({ error: { message, ...more } });
const rateLimit = failure('slow down', { type: 'rate_limit_error' });

/** Statuses and connections: what happens before there is an answer. */
export const wireBehaviours: readonly Behaviour[] = [
  {
    name: 'a plain answer',
    serve: answers('Hello'),
    outcome: { text: 'Hello', finish: 'stop' },
    requests: 1,
  },
  {
    name: '429 once, without Retry-After',
    serve: inTurn(sends(429, rateLimit), answers('Hello')),
    outcome: { text: 'Hello' },
    requests: 2,
  },
  {
    name: '429 once, with Retry-After in seconds',
    serve: inTurn(sends(429, rateLimit, { 'retry-after': '0.02' }), answers('Hello')),
    outcome: { text: 'Hello' },
    requests: 2,
  },
  {
    name: '429 once, with Retry-After in milliseconds',
    serve: inTurn(sends(429, rateLimit, { 'retry-after-ms': '20' }), answers('Hello')),
    outcome: { text: 'Hello' },
    requests: 2,
  },
  {
    name: '429 with Retry-After as a date that has passed',
    serve: inTurn(
      sends(429, rateLimit, { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }),
      answers('Hello'),
    ),
    outcome: { text: 'Hello' },
    requests: 2,
  },
  {
    name: '429 with Retry-After of an hour: it is not waited for',
    serve: sends(429, rateLimit, { 'retry-after': '3600' }),
    outcome: { code: 'models.rate_limited', says: /slow down/ },
    requests: 1,
  },
  {
    name: '429 with nonsense in Retry-After',
    serve: inTurn(sends(429, rateLimit, { 'retry-after': 'soon' }), answers('Hello')),
    outcome: { text: 'Hello' },
    requests: 2,
  },
  {
    name: '429 for ever',
    serve: sends(429, rateLimit),
    outcome: { code: 'models.rate_limited' },
    requests: 2,
  },
  {
    name: '429 because the quota is used up: trying again is no use',
    serve: sends(429, failure('You exceeded your current quota', { code: 'insufficient_quota' })),
    outcome: { code: 'models.out_of_quota' },
    requests: 1,
  },
  {
    name: '402 payment required',
    serve: sends(402, failure('Top up')),
    outcome: { code: 'models.out_of_quota' },
    requests: 1,
  },
  {
    name: '500 once',
    serve: inTurn(sends(500, failure('oops')), answers('Hello')),
    outcome: { text: 'Hello' },
    requests: 2,
  },
  {
    name: '500 for ever',
    serve: sends(500, failure('oops')),
    outcome: { code: 'models.overloaded', says: /oops/ },
    requests: 2,
  },
  {
    name: '503 with an empty body',
    serve: sends(503, ''),
    outcome: { code: 'models.overloaded', says: /503/ },
    requests: 2,
  },
  {
    name: '502 with the page of a proxy',
    serve: sends(502, '<html><head><title>Bad Gateway</title></head></html>', {
      'content-type': 'text/html',
    }),
    outcome: { code: 'models.overloaded', says: /Bad Gateway/ },
    requests: 2,
  },
  {
    name: '529 overloaded, as Anthropic says it',
    kind: 'anthropic',
    serve: sends(529, {
      type: 'error',
      error: { type: 'overloaded_error', message: 'Overloaded' },
    }),
    outcome: { code: 'models.overloaded', says: /Overloaded/ },
    requests: 2,
  },
  {
    name: '401',
    serve: sends(401, failure('Incorrect API key provided: sk-test-secret-key.')),
    outcome: { code: 'models.refused_key', says: /\[hidden\]/ },
    requests: 1,
  },
  {
    name: '403',
    serve: sends(403, failure('no access')),
    outcome: { code: 'models.refused_key', says: /no access/ },
    requests: 1,
  },
  {
    name: '404 model not found',
    serve: sends(404, failure('The model `m` does not exist')),
    outcome: { code: 'models.not_found', says: /does not exist/ },
    requests: 1,
  },
  { name: '405', serve: sends(405, ''), outcome: { code: 'models.not_found' }, requests: 1 },
  {
    name: '400 that nothing is known to help against',
    serve: sends(400, failure('bad messages')),
    outcome: { code: 'models.refused_request', says: /bad messages/ },
    requests: 1,
  },
  {
    name: '400 context length exceeded',
    serve: sends(
      400,
      failure("This model's maximum context length is 8192 tokens", {
        code: 'context_length_exceeded',
      }),
    ),
    outcome: { code: 'models.too_long' },
    requests: 1,
  },
  { name: '413', serve: sends(413, ''), outcome: { code: 'models.too_long' }, requests: 1 },
  {
    name: '400 exceed_context_size_error, as llama-server says it',
    kind: 'llama-server',
    serve: sends(
      400,
      failure('the request exceeds the available context size', {
        type: 'exceed_context_size_error',
      }),
    ),
    outcome: { code: 'models.too_long' },
    requests: 1,
  },
  {
    name: '408 once',
    serve: inTurn(sends(408, ''), answers('Hello')),
    outcome: { text: 'Hello' },
    requests: 2,
  },
  {
    name: 'a redirect: the key is not carried on',
    serve: sends(307, '', { location: 'http://elsewhere.example/v1' }),
    outcome: { code: 'models.not_found', says: /elsewhere\.example/ },
    requests: 1,
  },
  {
    name: 'a redirect with the key in its address',
    serve: sends(307, '', { location: 'http://elsewhere.example/?key=sk-test-secret-key' }),
    outcome: { code: 'models.not_found', says: /elsewhere\.example/ },
  },
  {
    name: 'a redirect to itself',
    serve: sends(302, '', { location: '/v1/chat/completions' }),
    outcome: { code: 'models.not_found' },
    requests: 1,
  },
  {
    name: 'an error body that stands still, once',
    serve: inTurn(({ response }) => {
      response.writeHead(503, { 'content-type': 'application/json' });
      response.write('{"error":');
    }, answers('Hello')),
    outcome: { text: 'Hello' },
    requests: 2,
  },
  {
    name: 'an error body without an end',
    serve: ({ response }) => {
      response.writeHead(500, { 'content-type': 'application/json' });
      const timer = setInterval(() => response.write('x'.repeat(20_000)), 1);
      response.on('close', () => clearInterval(timer));
    },
    outcome: { code: 'models.overloaded' },
    requests: 2,
  },
  {
    name: 'headers that are too long',
    serve: ({ response }) => {
      response.socket?.write(`HTTP/1.1 200 OK\r\nx-long: ${'x'.repeat(100_000)}\r\n\r\n`);
    },
    outcome: { code: 'models.bad_answer', says: /headers/ },
    requests: 2,
  },
  {
    name: 'something that is not HTTP',
    serve: sendsRaw('SSH-2.0-OpenSSH_9.6\r\n'),
    outcome: { code: 'models.bad_answer' },
    requests: 2,
  },
  {
    name: 'nothing listens',
    serve: hangs,
    url: () => 'http://127.0.0.1:59',
    outcome: { code: 'models.unreachable', says: /nothing listens/ },
    requests: 0,
  },
  {
    name: 'a host that does not exist',
    serve: hangs,
    url: () => 'http://no-such-host.invalid:8080',
    limits: { callMs: 5_000 },
    outcome: { code: 'models.unreachable', says: /host/ },
    requests: 0,
  },
  {
    name: 'https to a port that speaks http',
    serve: hangs,
    url: (url) => url.replace('http:', 'https:'),
    outcome: { code: 'models.unreachable', says: /http/ },
    requests: 0,
  },
  {
    name: 'the connection is closed before the headers',
    serve: dropsConnection,
    outcome: { code: 'models.unreachable' },
    requests: 2,
  },
  {
    name: 'the connection is closed before the headers, once',
    serve: inTurn(dropsConnection, answers('Hello')),
    outcome: { text: 'Hello' },
    requests: 2,
  },
  {
    name: 'no response at all',
    serve: hangs,
    limits: { callMs: 150 },
    outcome: { code: 'models.timeout', says: /150 ms/ },
    requests: 1,
  },
  {
    name: 'headers, and then nothing',
    serve: streams([': hello\n\n'], () => undefined),
    outcome: { code: 'models.timeout', says: /250 ms/ },
    requests: 1,
  },
  {
    name: 'a stream that stalls in the middle',
    serve: streams([openAiChunk('Hel')], () => undefined),
    outcome: { code: 'models.timeout', says: /nothing came/ },
    requests: 1,
  },
  {
    name: 'an answer that comes after its time',
    serve: (exchange) => {
      setTimeout(() => answers('late')(exchange), 300);
    },
    limits: { callMs: 150 },
    outcome: { code: 'models.timeout' },
    requests: 1,
  },
  {
    name: 'a slow stream that is in time',
    serve: streams([openAiChunk('Hel')], (response) => {
      setTimeout(() => response.write(openAiChunk('lo')), 50);
      setTimeout(() => response.end(openAiEnd()), 100);
    }),
    outcome: { text: 'Hello' },
    requests: 1,
  },
  {
    name: 'comments that keep a dead stream alive for ever',
    serve: streams([openAiChunk('Hel')], (response) => {
      const timer = setInterval(() => response.write(': ping\n\n'), 20);
      response.on('close', () => clearInterval(timer));
    }),
    limits: { callMs: 500 },
    outcome: { code: 'models.timeout', says: /500 ms/ },
    requests: 1,
  },
  {
    name: 'the connection is cut in the middle of the stream',
    serve: streams([openAiChunk('Hel')], (response) => response.socket?.destroy()),
    outcome: { code: 'models.cut_off' },
    requests: 2,
  },
  {
    name: 'the connection is cut in the middle of an event',
    serve: streams(['data: {"choices":[{"delta":{"con'], (response) => response.socket?.destroy()),
    outcome: { code: 'models.cut_off' },
    requests: 2,
  },
  {
    name: 'the connection is cut once, after pieces were shown',
    serve: inTurn(
      streams([openAiChunk('Hel')], (response) => response.socket?.destroy()),
      answers('Hello'),
    ),
    outcome: { text: 'Hello' },
    requests: 2,
  },
  {
    name: 'the stream ends without saying that it is complete',
    serve: streams([openAiChunk('Hel')], (response) => response.end()),
    outcome: { code: 'models.cut_off', says: /complete/ },
    requests: 2,
  },
  {
    name: 'JSON whose length was announced and that is cut',
    serve: ({ response }) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' });
      response.write('{"choices":[{"message":', () => response.socket?.destroy());
    },
    outcome: { code: 'models.cut_off' },
    requests: 2,
  },
  {
    name: 'the caller cancels in the middle of the stream',
    serve: streams([openAiChunk('Hel')], () => undefined),
    isCancelled: true,
    outcome: { code: 'cancelled' },
    requests: 1,
  },
  {
    name: 'an event that reports an error',
    serve: streams(
      [
        openAiChunk('Hel'),
        event({ error: { message: 'the server had an error', type: 'server_error' } }),
      ],
      (response) => response.end(),
    ),
    outcome: { code: 'models.overloaded', says: /had an error/ },
    requests: 2,
  },
  {
    name: 'an event that reports a rate limit',
    serve: streams(
      [event({ error: { message: 'slow down', type: 'rate_limit_exceeded' } })],
      (response) => response.end(),
    ),
    outcome: { code: 'models.rate_limited' },
    requests: 2,
  },
];
