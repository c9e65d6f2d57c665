import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { aScriptedModel } from '../../../testkit/models/scripted-model.ts';
import { createOwnedModel, describeSocketOwner, findSocketOwner } from './socket-owner.ts';

const ending = '00000000:00000000 00:00000000 00000000';

/** The kernel's tables, with port 11434 (2CAA) at these addresses. */
function tables(tcp: readonly string[], tcp6: readonly string[] = []): string {
  const folder = mkdtempSync(join(tmpdir(), 'tutti-proc-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const text = (lines: readonly string[]): string =>
    ['  sl  local_address rem_address   st', ...lines.map((line, at) => `   ${at}: ${line}`)].join(
      '\n',
    );
  writeFileSync(join(folder, 'tcp'), text(tcp));
  writeFileSync(join(folder, 'tcp6'), text(tcp6));
  return folder;
}

const line = (address: string, uid: number, state = '0A'): string =>
  `${address}:2CAA 00000000:0000 ${state} ${ending}  ${uid}        0 1 1 0 100 0 0 10 0`;

describe('the user behind a port', () => {
  it.each([
    ['on loopback', tables.bind(null, [line('0100007F', 998)]), 'uid:998'],
    ['on all addresses', tables.bind(null, [line('00000000', 0)]), 'uid:0'],
    ['on all of IPv6', tables.bind(null, [], [line('0'.repeat(32), 7)]), 'uid:7'],
    [
      'on IPv4 written as IPv6',
      tables.bind(null, [], [line('0000000000000000FFFF00000100007F', 7)]),
      'uid:7',
    ],
    ['on another address', tables.bind(null, [line('0200A8C0', 7)]), 'unknown'],
    ['connected, not listening', tables.bind(null, [line('0100007F', 7, '01')]), 'unknown'],
    [
      'on several, by several users',
      tables.bind(null, [line('00000000', 998), line('0100007F', 1001)]),
      'uid:1001 uid:998',
    ],
  ])('is found %s', async (_where, folder, owner) => {
    expect(await findSocketOwner(11_434, folder())).toBe(owner);
  });

  it.runIf(process.platform === 'linux')('is us for a socket of ours', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const owner = await findSocketOwner((server.address() as AddressInfo).port);
    expect(owner).toBe(`uid:${process.geteuid?.()}`);
    expect(await describeSocketOwner(owner)).toBe('you');
  });

  it.each([
    ['uid:54321', /^ANOTHER USER of this machine, uid 54321$/],
    ['uid:1 uid:2', /^several users/],
    ['unknown', /^an unknown user$/],
  ])('%s is described', async (owner, text) => {
    expect(await describeSocketOwner(owner)).toMatch(text);
  });
});

it('asks a model only while the user who was accepted runs it', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/v1`;
  const options = { signal: new AbortController().signal };
  const request = { messages: [] };
  const model = aScriptedModel('ollama', ['yes', 'no'], { url });
  const owned = createOwnedModel(model, await findSocketOwner(port));
  expect(await owned.ask(request, options)).toMatchObject({ text: 'yes' });
  const stolen = createOwnedModel(model, 'uid:54321');
  await expect(stolen.ask(request, options)).rejects.toMatchObject({ code: 'models.unreachable' });
  await expect(stolen.probe(options.signal)).rejects.toThrow('another program listens');
  expect(model.requests).toHaveLength(1);
});
