/**
 * A stand-in for a language model: an HTTP endpoint on the loopback interface that returns prepared answers in order and records
 * what it was asked. The demo uses it to show what Tutti does with a model that cheats.
 */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';

export interface ScriptedModel {
  /** Takes `{messages}` and returns `{response}`: the contract of `STARCODER_ENDPOINT`. */
  readonly url: string;
  /** The last message of each request, in order. */
  readonly prompts: readonly string[];
  close(): Promise<void>;
}

const chatRequest = z.object({ messages: z.array(z.looseObject({ content: z.string() })).min(1) });

/** Answers the n-th request with the n-th object as JSON text; the last one is repeated. */
export async function startScriptedModel(answers: readonly object[]): Promise<ScriptedModel> {
  const prompts: string[] = [];
  const server = createServer((request, response) => {
    readJson(request)
      .then((body) => {
        prompts.push(chatRequest.parse(body).messages.at(-1)?.content ?? '');
        const answer = answers[Math.min(prompts.length, answers.length) - 1];
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ response: JSON.stringify(answer) }));
      })
      .catch((error: unknown) => response.writeHead(400).end(String(error)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A TCP server that listens has an address with a port.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/chat`,
    prompts,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString('utf8'));
}
