import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, it } from 'vitest';
import { aFolder, serveTutti } from './support/run-tutti.ts';
import { isProof, seededRandom } from '../testkit/sample.ts';

const script = new URL('support/servers/asking-server.ts', import.meta.url).pathname;
const callCount = isProof ? 10_000 : 600;
const atOnce = 6;
const limitMs = isProof ? 1_800_000 : 180_000;
const random = seededRandom(4);

/** What became of all calls and questions. */
const counts = {
  askedRight: 0,
  askedWrong: 0,
  unnamed: 0,
  answeredRight: 0,
  answeredWrong: 0,
  refused: 0,
  ended: 0,
  disconnects: 0,
};

async function startServing(): ReturnType<typeof serveTutti> {
  const folder = aFolder();
  mkdirSync(join(folder, 'tutti'));
  const entry = (seed: number): object => ({
    command: process.execPath,
    args: [script, String(seed)],
    timeoutMs: 120,
    retryDelayMs: 10,
    retryAttempts: 20,
  });
  const mcpServers = { first: entry(1), second: entry(2) };
  writeFileSync(join(folder, 'tutti', 'config.yaml'), JSON.stringify({ mcpServers }));
  const env = { XDG_CONFIG_HOME: folder };
  return serveTutti({ cwd: folder, env });
}

/** A client whose every connection has a name of its own, which its calls and answers carry. */
class Caller {
  readonly #served: Awaited<ReturnType<typeof serveTutti>>;
  readonly #letter: string;
  #connection: Promise<{ client: Client; who: string; running: number }> | undefined;
  #connections = 0;

  constructor(served: Awaited<ReturnType<typeof serveTutti>>, letter: string) {
    this.#served = served;
    this.#letter = letter;
  }

  async call(call: number): Promise<void> {
    const connection = await (this.#connection ??= this.#connect());
    const { client, who } = connection;
    const name = random() < 0.5 ? 'first__work' : 'second__work';
    const asks = Math.floor(random() * 3);
    const args = { who, call, asks, delayMs: random() < 0.1 ? 400 : 20 };
    const stop = new AbortController();
    const timer = random() < 0.25 ? setTimeout(() => stop.abort(), random() * 40) : undefined;
    try {
      const options = { signal: stop.signal };
      const { content, isError } = await client.callTool({ name, arguments: args }, options);
      const [block] = content;
      if (isError === true || block?.type !== 'text') counts.ended += 1;
      else this.#check(block.text, `${who}#${call}`, asks);
    } catch {
      counts.ended += 1;
    }
    clearTimeout(timer);
    if (random() < 0.01 && this.#connection !== undefined) await this.#leave();
  }

  async #leave(): Promise<void> {
    const connection = this.#connection;
    this.#connection = undefined;
    counts.disconnects += 1;
    const client = (await connection)?.client;
    if (random() < 0.5) await client?.transport?.close();
    await client?.close().catch(() => {});
  }

  #check(text: string, own: string, asks: number): void {
    const answers = text === '' ? [] : text.split(',');
    for (const answer of answers) {
      if (answer === own) counts.answeredRight += 1;
      else if (answer === 'refused') counts.refused += 1;
      else counts.answeredWrong += 1;
    }
    if (answers.length !== asks) counts.answeredWrong += 1;
  }

  async #connect() {
    const who = `${this.#letter}${(this.#connections += 1)}`;
    const client = new Client(
      { name: who, version: '1' },
      { versionNegotiation: { mode: 'legacy' }, capabilities: { elicitation: {}, sampling: {} } },
    );
    const answer = async (question: unknown): Promise<string> => {
      const about = /(\w+)#\d+/.exec(JSON.stringify(question));
      if (about?.[1] === who) counts.askedRight += 1;
      else counts.askedWrong += 1;
      if (!/"tutti\/server":"(?:first|second)"/.test(JSON.stringify(question))) counts.unnamed += 1;
      await pause(random() * 20);
      return about?.[0] ?? '';
    };
    client.setRequestHandler('elicitation/create', async ({ params }) => ({
      action: 'accept',
      content: { of: await answer(params) },
    }));
    client.setRequestHandler('sampling/createMessage', async ({ params }) => ({
      role: 'assistant',
      model: 'none',
      content: { type: 'text', text: await answer(params) },
    }));
    const { url, headers } = this.#served;
    const requestInit = { headers };
    await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit }));
    return { client, who, running: 0 };
  }
}

it(
  'no question and no answer goes astray among two clients that cancel, time out and leave',
  { timeout: limitMs },
  async () => {
    const served = await startServing();
    const callers = [new Caller(served, 'A'), new Caller(served, 'B')];
    let next = 0;
    const workers = Array.from({ length: atOnce }, async (_, worker) => {
      while (next < callCount) await callers[worker % callers.length]?.call((next += 1));
    });
    await Promise.all(workers);
    if (isProof) console.log(counts);
    expect(counts).toMatchObject({ askedWrong: 0, answeredWrong: 0, unnamed: 0 });
    expect(counts.askedRight).toBeGreaterThan(callCount / 50);
    expect(counts.ended).toBeGreaterThan(callCount / 50);
    expect(counts.disconnects).toBeGreaterThan(0);
  },
);
