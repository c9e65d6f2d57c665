/**
 * The floor: the least a proxy can do. Parses each message, gives it an id of its own, passes it on,
 * parses the answer, gives it back the caller's id. No limits, no errors, no sessions, no lists.
 * `node floor-proxy.ts stdio|http TARGET FACE` with FACE `http` (prints its address) or `pipe`.
 */
import { spawn } from 'node:child_process';
import { Agent, createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Message {
  id?: number | string;
}
type Forward = (text: string, answered: (text: string) => void) => void;

function overStdio(script: string): Forward {
  const child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting = new Map<number, { id: number | string; answered: (text: string) => void }>();
  let next = 0;
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const message = JSON.parse(line) as Message;
      const caller = waiting.get(Number(message.id));
      if (!caller) continue;
      waiting.delete(Number(message.id));
      message.id = caller.id;
      caller.answered(JSON.stringify(message));
    }
  });
  return (text, answered) => {
    const message = JSON.parse(text) as Message;
    if (message.id !== undefined) {
      next += 1;
      waiting.set(next, { id: message.id, answered });
      message.id = next;
    } else answered('');
    child.stdin.write(`${JSON.stringify(message)}\n`);
  };
}

function overHttp(url: string): Forward {
  const agent = new Agent({ keepAlive: true });
  let next = 0;
  return (text, answered) => {
    const message = JSON.parse(text) as Message;
    const { id } = message;
    next += 1;
    if (id !== undefined) message.id = next;
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    const request = httpRequest(url, { method: 'POST', agent, headers }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () => {
        if (id === undefined) {
          answered('');
          return;
        }
        const answer = JSON.parse(Buffer.concat(parts).toString()) as Message;
        answer.id = id;
        answered(JSON.stringify(answer));
      });
    });
    request.end(JSON.stringify(message));
  };
}

function faceHttp(forward: Forward): void {
  const http = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      forward(Buffer.concat(parts).toString(), (text) => {
        if (text === '') response.writeHead(202).end();
        else response.writeHead(200, { 'content-type': 'application/json' }).end(text);
      });
    });
  });
  http.listen(0, '127.0.0.1', () => {
    process.stdout.write(
      `listening on http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp\n`,
    );
  });
}

function facePipe(forward: Forward): void {
  let rest = '';
  process.stdin.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      forward(line, (text) => {
        if (text !== '') process.stdout.write(`${text}\n`);
      });
    }
  });
  process.stdin.on('end', () => process.exit(0));
}

const [, , transport, target = '', face] = process.argv;
const forward = transport === 'http' ? overHttp(target) : overStdio(target);
if (face === 'pipe') facePipe(forward);
else faceHttp(forward);
