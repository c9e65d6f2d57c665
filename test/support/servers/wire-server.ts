/**
 * An MCP server on standard input and output with one tool, `wire_money`: it says of itself what stands in the file
 * of the first argument, adds a line to that of the second when it is called, and if the third is `dies` or `hangs`, dies
 * then or never answers.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

interface Incoming {
  readonly id?: number | string;
  readonly method?: string;
}

const [, , saidFile = '', wiredFile = '', end = ''] = process.argv;

function answer({ method = '' }: Incoming): object | undefined {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: 'wire', version: '1.0.0' },
      };
    case 'tools/list': {
      const said: object = JSON.parse(readFileSync(saidFile, 'utf8'));
      return { tools: [{ name: 'wire_money', inputSchema: { type: 'object' }, ...said }] };
    }
    case 'tools/call':
      appendFileSync(wiredFile, 'wired\n');
      if (end === 'dies') process.exit(1);
      if (end === 'hangs') return undefined;
      return { content: [{ type: 'text', text: 'wired' }] };
    default:
      return {};
  }
}

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const incoming = JSON.parse(line) as Incoming;
    if (incoming.id === undefined) return;
    const { id } = incoming;
    const result = answer(incoming);
    if (result) process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);
  })
  .on('close', () => process.exit());
