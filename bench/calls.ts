import { spawn, type ChildProcess } from 'node:child_process';
import { Agent, request } from 'node:http';
import { createInterface } from 'node:readline';
import { compare, type Comparison } from './measure.ts';

const rounds = 9;
const callsPerRound = 500;
/** Several at once, so that the servers work and the pipe's latency does not decide. */
const inFlight = 20;

/** Trivial calls over stdio (2025-11-25) and over HTTP (2026-07-28). */
export async function measureCalls(): Promise<Comparison[]> {
  return [await overStdio(), await overHttp()];
}

async function overStdio(): Promise<Comparison> {
  const ours = await StdioPeer.start('bench/echo-ours.ts');
  const sdk = await StdioPeer.start('bench/echo-sdk.ts');
  const [a, b] = await compare(
    () => ours.callMany(callsPerRound),
    () => sdk.callMany(callsPerRound),
    rounds,
  );
  ours.stop();
  sdk.stop();
  return result('tools/call over stdio', a, b);
}

async function overHttp(): Promise<Comparison> {
  const ours = await HttpPeer.start('bench/echo-ours.ts', '/mcp');
  const sdk = await HttpPeer.start('bench/echo-sdk.ts', '/mcp');
  const [a, b] = await compare(
    () => ours.callMany(callsPerRound),
    () => sdk.callMany(callsPerRound),
    rounds,
  );
  ours.stop();
  sdk.stop();
  return result('tools/call over HTTP', a, b);
}

function result(name: string, ours: number, base: number): Comparison {
  return {
    name,
    floor: 'MCP SDK server',
    limit: 1.5,
    unit: 'ms a call',
    ours: ours / callsPerRound,
    base: base / callsPerRound,
  };
}

const echoCall = (id: number, meta: object = {}): string =>
  JSON.stringify({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'echo', arguments: { text: `call ${id}` }, ...meta },
  });

function assertEcho(answer: string, id: number): void {
  if (!answer.includes(`call ${id}`)) throw new Error(`wrong answer to call ${id}: ${answer}`);
}

class StdioPeer {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  #id = 10;

  private constructor(child: ChildProcess, lines: AsyncIterator<string>) {
    this.#child = child;
    this.#lines = lines;
  }

  static async start(file: string): Promise<StdioPeer> {
    const child = spawn(process.execPath, [file], { stdio: ['pipe', 'pipe', 'inherit'] });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const peer = new StdioPeer(child, lines);
    const clientInfo = { name: 'bench', version: '1' };
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
    peer.#send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }));
    await lines.next();
    peer.#send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }));
    return peer;
  }

  async callMany(count: number): Promise<void> {
    for (let sent = 0; sent < count; sent += inFlight) {
      const first = this.#id + 1;
      for (let i = 0; i < inFlight; i += 1) {
        this.#id += 1;
        this.#send(echoCall(this.#id));
      }
      for (let i = 0; i < inFlight; i += 1) {
        const answer = String((await this.#lines.next()).value);
        const id = Number(/"id":(\d+)/.exec(answer)?.[1]);
        if (id < first || id > this.#id) throw new Error(`an answer to no call: ${answer}`);
        assertEcho(answer, id);
      }
    }
  }

  stop(): void {
    this.#child.kill('SIGKILL');
  }

  #send(line: string): void {
    this.#child.stdin?.write(`${line}\n`);
  }
}

/** A 2026-07-28 client: every request stands alone, so both servers do the same work. */
class HttpPeer {
  readonly #child: ChildProcess;
  readonly #url: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: inFlight });
  #id = 10;

  private constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.#url = url;
  }

  static async start(file: string, path: string): Promise<HttpPeer> {
    const child = spawn(process.execPath, [file, '--http'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const { value } = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
    return new HttpPeer(child, `${String(value)}${path}`);
  }

  async callMany(count: number): Promise<void> {
    for (let sent = 0; sent < count; sent += inFlight) {
      const ids = Array.from({ length: inFlight }, () => (this.#id += 1));
      await Promise.all(ids.map(async (id) => assertEcho(await this.#call(id), id)));
    }
  }

  stop(): void {
    this.#agent.destroy();
    this.#child.kill('SIGKILL');
  }

  #call(id: number): Promise<string> {
    const body = echoCall(id, {
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    });
    return new Promise((resolve, reject) => {
      const outgoing = request(
        this.#url,
        {
          method: 'POST',
          agent: this.#agent,
          headers: {
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(body),
            accept: 'application/json, text/event-stream',
            'mcp-protocol-version': '2026-07-28',
            'mcp-method': 'tools/call',
            'mcp-name': 'echo',
          },
        },
        (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
          response.on('end', () => resolve(text));
        },
      );
      outgoing.on('error', reject).end(body);
    });
  }
}
