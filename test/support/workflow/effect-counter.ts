/**
 * The world outside: a process of its own that remembers which effects happened. `POST /` with
 * `{name, key}` makes one happen, `GET /` gives all. Says its port on standard output; ends with its input.
 */
import { createServer } from 'node:http';

const effects: unknown[] = [];

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    if (request.method === 'POST') effects.push(JSON.parse(Buffer.concat(chunks).toString()));
    response.end(JSON.stringify(effects));
  });
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`${typeof address === 'object' ? address?.port : ''}\n`);
});
process.stdin.resume().on('close', () => process.exit());
