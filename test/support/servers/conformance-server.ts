/**
 * An MCP server that has every tool, resource and prompt the official conformance runner asks for,
 * written without anything of ours: `conformance-server.ts stdio|http handshake|stateless|both FOLDER`.
 * What changes is kept in the folder. Over HTTP it says `listening on URL` first. It ends with its input.
 */
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { PassingItems } from './conformance/passing-items.ts';
import { Peer } from './conformance/peer.ts';
import { serveHttp } from './conformance/serve-http.ts';
import { ConformanceServer } from './conformance/server.ts';

const [transport, era, folder = '.'] = process.argv.slice(2);
const eras = (['handshake', 'stateless'] as const).filter((it) => era === 'both' || it === era);
const server = new ConformanceServer(eras, new PassingItems(folder));

const lines = createInterface({ input: process.stdin }).on('close', () => process.exit());
if (transport === 'http') {
  const http = serveHttp(server).listen(0, '127.0.0.1', () => {
    // A TCP server that listens has such an address.
    const { port } = http.address() as AddressInfo;
    process.stdout.write(`listening on http://127.0.0.1:${port}/mcp\n`);
  });
} else {
  const peer = new Peer(server, (message) => {
    process.stdout.write(`${JSON.stringify(message)}\n`);
  });
  lines.on('line', (line) => peer.receive(JSON.parse(line)));
}
