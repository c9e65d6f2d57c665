/**
 * Reads of the REST API beside bare Hono handlers that read from the same rooms:
 * `node bench/api/run.ts`. Both run in processes of their own and are loaded in turns.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { fileURLToPath } from 'node:url';

const requests = 3_000;
const connections = 32;
const rounds = 7;
const paths = ['/api/v1/health', '/api/v1/runs', '/api/v1/tools?limit=50'];

const servers = await Promise.all(['ours', 'bare'].map(startServer));
const agent = new Agent({ keepAlive: true, maxSockets: connections });
const results = [];
for (const path of paths) {
  const ratios: number[] = [];
  const rates: number[][] = [[], []];
  for (const { port } of servers) await load(port, path, 2_000);
  for (let round = 0; round < rounds; round += 1) {
    const ours = await load(servers[0]?.port ?? 0, path, requests);
    const bare = await load(servers[1]?.port ?? 0, path, requests);
    ratios.push(ours / bare);
    rates[0]?.push(ours);
    rates[1]?.push(bare);
  }
  results.push({
    path,
    'ours, requests/s': median(rates[0] ?? []),
    'bare Hono, requests/s': median(rates[1] ?? []),
    'part of its throughput': `${Math.round(medianOf(ratios) * 100)} %`,
  });
}
console.table(results);
agent.destroy();
for (const { child } of servers) child.kill();

async function startServer(kind: string): Promise<{ child: ChildProcess; port: number }> {
  const program = fileURLToPath(new URL('serve.ts', import.meta.url));
  const child = fork(program, [kind], { stdio: 'inherit' });
  const [port] = await once(child, 'message');
  return { child, port: Number(port) };
}

/** Requests a second. */
async function load(port: number, path: string, count: number): Promise<number> {
  let left = count;
  const startedAt = performance.now();
  const work = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await get(port, path);
    }
  };
  await Promise.all(Array.from({ length: connections }, work));
  return (count / (performance.now() - startedAt)) * 1_000;
}

function get(port: number, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: 'Bearer anna' };
    const sent = request({ host: '127.0.0.1', port, path, agent, headers }, (response) => {
      response.resume();
      response.once('end', () => {
        if (response.statusCode === 200) resolve();
        else reject(new Error(`${path}: ${response.statusCode}`));
      });
    });
    sent.once('error', reject);
    sent.end();
  });
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function median(values: readonly number[]): number {
  return Math.round(medianOf(values));
}
