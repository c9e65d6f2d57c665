import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openSystem } from '../src/compose/index.ts';
import { localCaller } from '../src/contract/caller/index.ts';
import { aFolder } from './support/run-tutti.ts';

/** Secrets of every kind a server may be given, by where they stand; the plain values must stay readable. */
const secrets = {
  shaped: 'sk-live-0123456789abcdefghij',
  named: 'correct-horse-battery',
  looks: '9f8a7c6b5a4f3e2d1c0b',
  fromVariable: 'Tr0ub4dor&3!',
  argument: 'argument-of-the-program',
  joined: 'joined-with-its-option',
  header: 'value-of-the-header',
  query: 'value-in-the-query',
};
const keyBody = ['MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7', 'xVgH2u3hQ8F5mZc1'];
const allSecrets = [
  ...Object.values(secrets),
  encodeURIComponent(secrets.fromVariable),
  ...keyBody,
];
const plain = ['production-mode', '/srv/notes', 'listening', 'package-of-words-2026'];

const dying = `
const { env, argv } = process;
const said = [env.ACME_SHAPED, env.DB_PASSWORD, env.ACME_ID, env.ACME_VALUE, ...argv.slice(1)];
console.error('listening', env.MODE, env.NOTES);
for (const text of said) console.error('cannot use ' + text + ' at all');
console.error('Error: at https://x.example/?v=' + encodeURIComponent(env.ACME_VALUE));
console.error('-----BEGIN PRIVATE KEY-----\\n${keyBody.join('\\n')}\\n-----END PRIVATE KEY-----');
process.stdout.write('no message: ' + said.join(' ') + '\\n');
console.error('Error: refused ' + said.join(' '));
process.exitCode = 1;
`;
const refusing = `
require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id } = JSON.parse(line);
  const error = { code: -32000, message: 'the key ' + process.env.ACME_ID + ' is wrong' };
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, error }));
});
`;

async function anEcho(): Promise<string> {
  const http = createServer((request, response) => {
    const said = JSON.stringify([request.headers['x-acme'], request.url]);
    response.writeHead(500).end(`failed with ${said}`);
  });
  onTestFinished(() => void http.close());
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  // A server that listens on TCP has an address of this shape.
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
}

it('shows no secret of a server, wherever what it wrote goes', async () => {
  const folder = aFolder();
  mkdirSync(join(folder, 'tutti'));
  const node = { command: process.execPath, retryAttempts: 0, retryDelayMs: 1 };
  const env = { ACME_ID: secrets.looks };
  const { argument, joined, header, query } = secrets;
  const mcpServers = {
    dying: {
      ...node,
      args: [
        '-e',
        dying,
        '--',
        'package-of-words-2026',
        '--token',
        argument,
        `--api-key=${joined}`,
      ],
      env: {
        ...env,
        ACME_SHAPED: secrets.shaped,
        DB_PASSWORD: secrets.named,
        ACME_VALUE: '${env:ACME_VALUE}',
        MODE: 'production-mode',
        NOTES: '${env:NOTES}',
      },
    },
    refusing: { ...node, args: ['-e', refusing], env },
    remote: {
      url: `${await anEcho()}?token=${query}`,
      headers: { 'X-Acme': header, 'X-Acme-Key': header },
      retryAttempts: 0,
    },
  };
  writeFileSync(join(folder, 'tutti', 'config.yaml'), JSON.stringify({ mcpServers }));
  const home = join(folder, 'home');
  const system = await openSystem({
    flags: { home },
    env: {
      PATH: process.env['PATH'],
      XDG_CONFIG_HOME: folder,
      ACME_VALUE: secrets.fromVariable,
      NOTES: '/srv/notes',
    },
    cwd: folder,
    log: 'file',
  });
  onTestFinished(() => system.close());
  await system.fleet.startAll(30_000);
  const context = {
    caller: localCaller,
    signal: AbortSignal.timeout(30_000),
    progress: () => {},
    meta: {},
  };
  const names = Object.keys(mcpServers);
  const shown = [
    JSON.stringify(await system.fleet.status()),
    JSON.stringify(await system.catalogue.callTool('admin.get_server_status', {}, context)),
    JSON.stringify(system.catalogue.failures?.()),
    ...(await Promise.all(
      names.map(async (name) => (await system.fleet.logs(name, 100)).join('\n')),
    )),
    ...(await Promise.all(
      names.map(async (name) => {
        const call = system.catalogue.callTool(`${name}.any`, {}, context);
        return JSON.stringify(await call.catch((error: unknown) => String(error)));
      }),
    )),
    JSON.stringify(await system.doctor()),
  ];
  await system.close();
  shown.push(readFileSync(join(home, 'logs', 'servers', 'dying.log'), 'utf8'));
  shown.push(readFileSync(join(home, 'logs', 'tutti.log'), 'utf8'));
  for (const text of shown) {
    expect(allSecrets.filter((secret) => text.includes(secret))).toEqual([]);
  }
  for (const word of plain) expect(shown.at(-2)).toContain(word);
  expect(shown[0]).toContain('refused');
});
