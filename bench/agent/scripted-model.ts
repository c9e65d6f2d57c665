/**
 * An OpenAI-compatible server that answers at once and always the same: what a turn takes beyond it is the
 * program that asks. Prints its address; `GET /stats` gives and resets how long it was busy with answers.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { answerFor, chatRequest } from './script.ts';

let busyMs = 0;
let requests = 0;

async function readJson(request: IncomingMessage): Promise<unknown> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece);
  return JSON.parse(Buffer.concat(pieces).toString('utf8'));
}

function complete(body: z.output<typeof chatRequest>, response: ServerResponse): void {
  const answer = answerFor(body);
  const head = { id: 'c1', created: 0, model: 'scripted' };
  const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
  const finish_reason = answer.kind === 'tools' ? 'tool_calls' : 'stop';
  if (!body.stream) {
    const message =
      answer.kind === 'tools'
        ? { role: 'assistant', content: null, tool_calls: answer.calls }
        : { role: 'assistant', content: answer.pieces.join('') };
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({
        ...head,
        object: 'chat.completion',
        choices: [{ index: 0, message, finish_reason }],
        usage,
      }),
    );
    return;
  }
  response.setHeader('content-type', 'text/event-stream');
  const send = (delta: object, end: string | null = null): void => {
    const choices = [{ index: 0, delta, finish_reason: end }];
    const chunk = { ...head, object: 'chat.completion.chunk', choices };
    response.write(`data: ${JSON.stringify(end === null ? chunk : { ...chunk, usage })}\n\n`);
  };
  if (answer.kind === 'tools') {
    send({
      role: 'assistant',
      tool_calls: answer.calls.map((call, index) => ({ index, ...call })),
    });
  } else {
    for (const content of answer.pieces) send({ role: 'assistant', content });
  }
  send({}, finish_reason);
  response.end('data: [DONE]\n\n');
}

const server = createServer((request, response) => {
  if (request.url === '/stats') {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ busyMs, requests }));
    busyMs = 0;
    requests = 0;
    return;
  }
  if (request.method === 'GET') {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ object: 'list', data: [{ id: 'scripted', object: 'model' }] }));
    return;
  }
  readJson(request)
    .then((body) => {
      const startedAt = performance.now();
      complete(chatRequest.parse(body), response);
      busyMs += performance.now() - startedAt;
      requests += 1;
    })
    .catch((error: unknown) => {
      response.writeHead(400).end(String(error));
    });
});

// Who measures asks rarely: a connection that was kept must not end in the moment it is used.
server.keepAliveTimeout = 600_000;
server.listen(0, '127.0.0.1', () => {
  // A server that listens on TCP has such an address.
  const { port } = server.address() as AddressInfo;
  console.log(`http://127.0.0.1:${port}/v1`);
});
process.stdin.on('end', () => process.exit(0)).resume();
