import type { Behaviour } from './behaviour.ts';
import { answers, event, inTurn, openAiChunk, openAiEnd, sends, streams } from './wire-server.ts';

const invalidUtf8 = new Uint8Array([
  ...Buffer.from('data: {"choices":[{"delta":{"content":"a'),
  0xff,
  0xfe,
  ...Buffer.from(`b"}}]}\n\n${openAiEnd()}`),
]);

const message = (content: unknown, more: object = {}): object => ({
  choices: [{ message: { role: 'assistant', content }, finish_reason: 'stop', ...more }],
});

/** A server that refuses a member of the request, and answers without it. */
const refuses =
  (member: string, words: string) => (exchange: Parameters<Behaviour['serve']>[0]) => {
    const serve =
      member in exchange.body ? sends(400, { error: { message: words } }) : answers('Hello');
    serve(exchange);
  };

/** What servers that were reached say instead of an answer, or around it. */
export const answerBehaviours: readonly Behaviour[] = [
  {
    name: 'an empty answer',
    serve: streams([openAiEnd()], (response) => response.end()),
    outcome: { code: 'models.empty_answer' },
    requests: 2,
  },
  {
    name: 'an empty answer, once',
    serve: inTurn(
      streams([openAiEnd()], (response) => response.end()),
      answers('Hello'),
    ),
    outcome: { text: 'Hello' },
    requests: 2,
  },
  {
    name: 'white space instead of an answer',
    serve: answers('  \n '),
    outcome: { code: 'models.empty_answer' },
    requests: 2,
  },
  {
    name: 'a stream of no events',
    serve: streams(['\n\n'], (response) => response.end()),
    outcome: { code: 'models.cut_off' },
    requests: 2,
  },
  {
    name: 'JSON with an empty list of choices',
    serve: sends(200, { choices: [] }),
    outcome: { code: 'models.empty_answer', says: /choices/ },
    requests: 2,
  },
  {
    name: 'events with empty lists of choices',
    serve: streams([event({ choices: [] }), openAiChunk('Hello'), openAiEnd()], (response) =>
      response.end(),
    ),
    outcome: { text: 'Hello' },
    requests: 1,
  },
  {
    name: 'an answer cut off at the limit of tokens',
    serve: answers('Hello', 'length'),
    outcome: { text: 'Hello', finish: 'length' },
    requests: 1,
  },
  {
    name: 'an answer that a filter stopped',
    serve: answers('Hel', 'content_filter'),
    outcome: { text: 'Hel', finish: 'filtered' },
    requests: 1,
  },
  {
    name: 'an answer that a filter took away',
    serve: streams([openAiEnd('content_filter')], (response) => response.end()),
    outcome: { text: '', finish: 'filtered' },
    requests: 1,
  },
  {
    name: 'a reason to finish that nobody knows',
    serve: answers('Hello', 'because'),
    outcome: { text: 'Hello', finish: 'other' },
    requests: 1,
  },
  {
    name: 'no reason to finish, but an end',
    serve: streams([openAiChunk('Hello'), 'data: [DONE]\n\n'], (response) => response.end()),
    outcome: { text: 'Hello', finish: 'other' },
    requests: 1,
  },
  {
    name: 'an answer without an end',
    serve: ({ response }) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const timer = setInterval(
        () => response.write(openAiChunk('again and again '.repeat(200))),
        1,
      );
      response.on('close', () => clearInterval(timer));
    },
    outcome: { code: 'models.endless_answer', says: /20000 bytes/ },
    requests: 1,
  },
  {
    name: 'an event without an end',
    serve: ({ response }) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const timer = setInterval(() => response.write('x'.repeat(50_000)), 1);
      response.on('close', () => clearInterval(timer));
    },
    outcome: { code: 'models.endless_answer', says: /400000 bytes/ },
    requests: 1,
  },
  {
    name: 'thinking without an end',
    serve: ({ response }) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const timer = setInterval(
        () =>
          response.write(
            event({ choices: [{ delta: { reasoning_content: 'hm '.repeat(1_000) } }] }),
          ),
        1,
      );
      response.on('close', () => clearInterval(timer));
    },
    outcome: { code: 'models.endless_answer' },
    requests: 1,
  },
  {
    name: 'thinking apart from the answer',
    serve: streams(
      [
        event({ choices: [{ delta: { reasoning_content: 'hm' } }] }),
        openAiChunk('Hello'),
        openAiEnd(),
      ],
      (response) => response.end(),
    ),
    outcome: { text: 'Hello' },
    requests: 1,
  },
  {
    name: 'thinking that used up the tokens',
    serve: streams(
      [event({ choices: [{ delta: { reasoning_content: 'hm' } }] }), openAiEnd('length')],
      (response) => response.end(),
    ),
    outcome: { code: 'models.empty_answer', says: /thinking/ },
    requests: 2,
  },
  {
    name: 'thinking in the answer itself',
    serve: answers('<think>Let me see.</think>\n\nHello'),
    outcome: { text: 'Hello' },
    requests: 1,
  },
  {
    name: 'thinking and nothing else',
    serve: answers('<think>Let me see.'),
    outcome: { code: 'models.empty_answer', says: /thought/ },
    requests: 2,
  },
  {
    name: 'events that are no JSON',
    serve: streams([openAiChunk('Hel'), event('{"choices": [')], (response) => response.end()),
    outcome: { code: 'models.bad_answer', says: /JSON/ },
    requests: 2,
  },
  {
    name: 'events of another shape',
    serve: streams([event({ choices: [{ delta: { content: 5 } }] })], (response) => response.end()),
    outcome: { code: 'models.bad_answer' },
    requests: 2,
  },
  {
    name: 'events with carriage returns, comments, names and no spaces',
    serve: streams(
      [
        `: hello\r\nevent: chunk\r\ndata:${openAiChunk('Hello').slice(6).trim()}\r\n\r\n`,
        openAiEnd(),
      ],
      (response) => response.end(),
    ),
    outcome: { text: 'Hello' },
    requests: 1,
  },
  {
    name: 'an event in two pieces',
    serve: ({ response }) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const text = `${openAiChunk('Hello')}${openAiEnd()}`;
      response.write(text.slice(0, 30));
      setTimeout(() => response.end(text.slice(30)), 20);
    },
    outcome: { text: 'Hello' },
    requests: 1,
  },
  {
    name: 'a character cut in two between pieces',
    serve: ({ response }) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const bytes = Buffer.from(`${openAiChunk('é')}${openAiEnd()}`);
      const at = bytes.indexOf(0xc3) + 1;
      response.write(bytes.subarray(0, at));
      setTimeout(() => response.end(bytes.subarray(at)), 20);
    },
    outcome: { text: 'é' },
    requests: 1,
  },
  {
    name: 'bytes that are no UTF-8',
    serve: ({ response }) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(invalidUtf8);
    },
    outcome: { text: 'a\uFFFD\uFFFDb' },
    requests: 1,
  },
  {
    name: 'the last event twice',
    serve: streams([openAiChunk('Hello'), openAiEnd(), openAiEnd()], (response) => response.end()),
    outcome: { text: 'Hello' },
    requests: 1,
  },
  {
    name: 'the same piece twice: it may well be meant',
    serve: streams([openAiChunk('ha'), openAiChunk('ha'), openAiEnd()], (response) =>
      response.end(),
    ),
    outcome: { text: 'haha' },
    requests: 1,
  },
  {
    name: 'JSON where a stream was asked for',
    serve: sends(200, message('Hello')),
    outcome: { text: 'Hello', finish: 'stop' },
    requests: 1,
  },
  {
    name: 'JSON with a list of parts',
    serve: sends(
      200,
      message([
        { type: 'text', text: 'Hel' },
        { type: 'text', text: 'lo' },
      ]),
    ),
    outcome: { text: 'Hello' },
    requests: 1,
  },
  {
    name: 'JSON with null for an answer',
    serve: sends(200, message(null)),
    outcome: { code: 'models.empty_answer' },
    requests: 2,
  },
  {
    name: 'JSON with an error and status 200',
    serve: sends(200, { error: 'model is loading' }),
    outcome: { code: 'models.overloaded', says: /loading/ },
    requests: 2,
  },
  {
    name: 'JSON that is something else',
    serve: sends(200, { status: 'ok' }),
    outcome: { code: 'models.bad_answer' },
    requests: 2,
  },
  {
    name: 'a page with status 200',
    serve: sends(200, '<!doctype html><title>Sign in</title>', { 'content-type': 'text/html' }),
    outcome: { code: 'models.bad_answer', says: /Sign in/ },
    requests: 2,
  },
  {
    name: 'JSON that says it is a page',
    serve: sends(200, message('Hello'), { 'content-type': 'text/html' }),
    outcome: { code: 'models.bad_answer' },
    requests: 2,
  },
  {
    name: 'events that say they are plain text',
    serve: ({ response }) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      response.end(`${openAiChunk('Hello')}${openAiEnd()}`);
    },
    outcome: { text: 'Hello' },
    requests: 1,
  },
  {
    name: 'status 204',
    serve: ({ response }) => {
      response.writeHead(204);
      response.end();
    },
    outcome: { code: 'models.empty_answer' },
    requests: 2,
  },
  {
    name: 'a server that takes no stream_options',
    serve: refuses('stream_options', 'Unrecognized request argument: stream_options'),
    outcome: { text: 'Hello' },
    requests: 2,
  },
  {
    name: 'a model that takes no temperature',
    serve: refuses('temperature', "Unsupported value: 'temperature' does not support 0.1"),
    outcome: { text: 'Hello' },
    requests: 2,
  },
  {
    name: 'a model that wants max_completion_tokens',
    serve: refuses('max_tokens', "Use 'max_completion_tokens' instead"),
    outcome: { text: 'Hello' },
    requests: 2,
  },
];
