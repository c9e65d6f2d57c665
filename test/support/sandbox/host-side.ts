import { randomBytes } from 'node:crypto';
import { createSocket, type Socket as DatagramSocket } from 'node:dgram';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { bootReadyMark } from '../../../src/sandbox/boot/boot.ts';

/** What the programs try to reach: files, sockets and secrets of a host that watches them. */
export interface HostSide {
  /** `HOSTILE_PARAMS` of the programs. */
  readonly params: string;
  /** What the canary file holds. */
  readonly canaryText: string;
  /** Who was heard on the host's sockets since the start. */
  connections(): readonly string[];
  /** Files that only a program that got out can have written. */
  markers(): readonly string[];
  close(): Promise<void>;
}

const planted = ['HOST_SECRET', 'HOSTILE_TEST_API_KEY', 'HOSTILE_TEST_TOKEN'];
const systemFolders = ['/usr', '/etc', '/bin', '/lib', '/usr/local/bin', '/var', '/opt', '/tmp'];
const markerName = 'hostile-was-here';

/** Plants the secrets in the environment of this process, so that what it starts might inherit them. */
export async function openHostSide(): Promise<HostSide> {
  const secret = `planted-host-secret-${randomBytes(8).toString('hex')}`;
  for (const name of planted) process.env[name] = secret;
  const folder = mkdtempSync(join(tmpdir(), 'hostile-'));
  const canaryDir = join(folder, 'canary');
  mkdirSync(canaryDir);
  // Nothing but the sandbox keeps a program out, whichever user it runs as.
  chmodSync(folder, 0o755);
  chmodSync(canaryDir, 0o777);
  const canary = join(canaryDir, 'canary.txt');
  const canaryText = `CANARY ${secret}\n`;
  writeFileSync(canary, canaryText);
  chmodSync(canary, 0o666);

  const heard: string[] = [];
  const abstract = `hostile-${randomBytes(6).toString('hex')}`;
  const unixSock = join(canaryDir, 'host.sock');
  const tcp = await listen({ heard, name: 'tcp', at: { host: '127.0.0.1', port: 0 } });
  const servers = [
    tcp,
    await listen({ heard, name: 'abstract socket', at: { path: `\0${abstract}` } }),
    await listen({ heard, name: 'file socket', at: { path: unixSock } }),
  ];
  const datagrams = await listenToDatagrams(heard);
  const { port } = tcp.address() as AddressInfo;
  const params = {
    canary,
    canaryDir,
    port,
    udpPort: datagrams.address().port,
    abstract,
    unixSock,
    hostname: hostname(),
    home: process.env['HOME'],
    poolDir: folder,
    marks: [Buffer.from(bootReadyMark).toString('hex')],
  };
  return {
    params: JSON.stringify(params),
    canaryText,
    connections: () => heard,
    markers: () =>
      [...systemFolders, canaryDir]
        .map((place) => join(place, markerName))
        .filter((file) => existsSync(file)),
    close: async () => {
      for (const name of planted) delete process.env[name];
      datagrams.close();
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface Ear {
  readonly heard: string[];
  readonly name: string;
  readonly at: { host: string; port: number } | { path: string };
}

async function listen({ heard, name, at }: Ear): Promise<Server> {
  const server = createServer((socket) => {
    heard.push(name);
    socket.destroy();
  });
  server.listen(at);
  await once(server, 'listening');
  return server;
}

async function listenToDatagrams(heard: string[]): Promise<DatagramSocket> {
  const socket = createSocket('udp4');
  socket.on('message', (_message, from) => {
    heard.push('udp');
    socket.send('host', from.port, from.address);
  });
  socket.bind(0, '0.0.0.0');
  await once(socket, 'listening');
  return socket;
}
