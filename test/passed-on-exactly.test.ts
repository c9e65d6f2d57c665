import { mkdirSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { aFolder, startTutti } from './support/run-tutti.ts';

/** A server that answers by table and writes its answers as they are; `NAME` stands for its name. */
const literal = `
const [name, answers] = [process.argv[1], JSON.parse(process.argv[2])];
const send = (text) => process.stdout.write(text + '\\n');
require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const key = method + ' ' + (params.uri ?? params.name ?? '');
  const answer = answers[key] ?? answers[method] ?? '"error":{"code":-32601,"message":"no"}';
  send('{"jsonrpc":"2.0","id":' + id + ',' + answer.replaceAll('NAME', name).replace('PARAMS', JSON.stringify(params)) + '}');
  if (method === 'resources/subscribe') {
    send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: params.uri } }));
  }
});
`;

const capabilities = '{"tools":{},"resources":{"subscribe":true},"prompts":{},"completions":{}}';
const answers = {
  initialize: `"result":{"protocolVersion":"2025-11-25","capabilities":${capabilities},"serverInfo":{"name":"NAME","version":"1"}}`,
  'tools/list': '"result":{"tools":[{"name":"fail","inputSchema":{"type":"object"}}]}',
  'prompts/list': '"result":{"prompts":[{"name":"plan","arguments":[{"name":"city"}]}]}',
  'resources/list': '"result":{"resources":[{"uri":"memo://one","name":"one"}]}',
  'resources/templates/list':
    '"result":{"resourceTemplates":[{"uriTemplate":"memo://all/{id}","name":"all"}]}',
  'resources/read memo://one': '"result":{"contents":[{"uri":"memo://one","text":"one of NAME"}]}',
  'resources/read memo://all/7':
    '"result":{"contents":[{"uri":"memo://all/7","text":"7 of NAME"}]}',
  'resources/read': '"error":{"code":-32042,"message":"no such thing in NAME"}',
  'resources/read memo://gone': '"error":{"code":-32602,"message":"gone from NAME"}',
  'resources/subscribe': '"result":{}',
};
const failure =
  '"error":{"code":-32000,"message":"over","data":{"id":12345678901234567890,"rate":1.0,"tiny":1e-400,"nested":[{"n":0.10}]}}';

function startWith(servers: Readonly<Record<string, object>>): RawClient {
  const cwd = aFolder();
  mkdirSync(join(cwd, 'tutti'));
  const entries = Object.entries(servers).map(([name, table]) => [
    name,
    { command: process.execPath, args: ['-e', literal, name, JSON.stringify(table)] },
  ]);
  const config = { mcpServers: Object.fromEntries(entries) };
  writeFileSync(join(cwd, 'tutti', 'config.yaml'), JSON.stringify(config));
  const only = Object.keys(servers).join(',');
  return new RawClient(
    startTutti(['mcp', '--all', '--only', only], { cwd, env: { XDG_CONFIG_HOME: cwd } }),
  );
}

/** Shows the very texts that come. */
class RawClient {
  readonly texts: string[] = [];
  readonly #child: ReturnType<typeof startTutti>;
  readonly #waiting = new Map<string, (text: string) => void>();
  #lastId = 0;

  constructor(child: ReturnType<typeof startTutti>) {
    this.#child = child;
    child.stderr.resume();
    onTestFinished(() => void child.kill());
    createInterface({ input: child.stdout }).on('line', (line) => {
      this.texts.push(line);
      this.#waiting.get(/"id":(\d+)/.exec(line)?.[1] ?? '')?.(line);
    });
  }

  ask(method: string, params: object = {}): Promise<string> {
    const id = String((this.#lastId += 1));
    const { promise, resolve } = Promise.withResolvers<string>();
    this.#waiting.set(id, resolve);
    const message = { jsonrpc: '2.0', id: Number(id), method, params };
    this.#child.stdin.write(`${JSON.stringify(message)}\n`);
    return promise;
  }

  async open(): Promise<void> {
    const clientInfo = { name: 'raw', version: '1' };
    await this.ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
  }
}

it('passes on the data of errors number by number, whatever else is added', async () => {
  const client = startWith({
    a: { ...answers, 'tools/call fail': failure },
    b: {
      ...answers,
      'tools/call fail': failure.replace(/"data":.*/, '"data":12345678901234567890}'),
    },
    c: { ...answers, 'tools/call fail': failure.replace(/,"data":.*/, '}') },
  });
  await client.open();
  expect(await client.ask('tools/call', { name: 'a__fail' })).toContain(
    '"data":{"tutti/server":"a","id":12345678901234567890,"rate":1.0,"tiny":1e-400,"nested":[{"n":0.10}]}',
  );
  expect(await client.ask('tools/call', { name: 'b__fail' })).toContain(
    '"data":12345678901234567890}',
  );
  expect(await client.ask('tools/call', { name: 'c__fail' })).toContain(
    '"message":"over","data":{"tutti/server":"c"}',
  );
});

it('reaches a resource that two servers have in both, and tells which one changed', async () => {
  const client = startWith({ a: answers, b: answers });
  await client.open();
  const list = await client.ask('resources/list');
  expect(list).toContain('"memo://one"');
  expect(list).toContain('"b+memo://one"');
  const templates = await client.ask('resources/templates/list');
  expect(templates).toContain('"memo://all/{id}"');
  expect(templates).toContain('"b+memo://all/{id}"');
  const read = (uri: string): Promise<string> => client.ask('resources/read', { uri });
  expect(await read('memo://one')).toContain('one of a');
  expect(await read('b+memo://one')).toContain('one of b');
  expect(await read('memo://all/7')).toContain('7 of a');
  expect(await read('b+memo://all/7')).toContain('7 of b');
  await client.ask('resources/subscribe', { uri: 'b+memo://one' });
  await vi.waitFor(() => {
    const updates = client.texts.filter((text) => text.includes('resources/updated'));
    expect(updates.map((text) => /"uri":"([^"]+)"/.exec(text)?.[1])).toEqual(['b+memo://one']);
  });
});

it('keeps the code of a server that does not know a resource', async () => {
  const client = startWith({ a: answers, b: answers });
  await client.open();
  const gone = await client.ask('resources/read', { uri: 'memo://gone' });
  expect(gone).toContain('"code":-32602,"message":"gone from a"');
  const unknown = await client.ask('resources/read', { uri: 'b+memo://unknown' });
  expect(unknown).toContain('"code":-32042,"message":"no such thing in b"');
});

it.each([
  ['a prompt', { type: 'ref/prompt', name: 'a__plan' }],
  ['a template', { type: 'ref/resource', uri: 'b+memo://all/{id}' }],
])('completes an argument of %s with those chosen before', async (_, ref) => {
  const echo = {
    ...answers,
    'completion/complete': '"error":{"code":1,"message":"m","data":PARAMS}',
  };
  const client = startWith({ a: echo, b: echo });
  await client.open();
  await client.ask('prompts/list');
  const argument = { name: 'city', value: 'Ber' };
  const context = { arguments: { country: 'Germany' } };
  const text = await client.ask('completion/complete', { ref, argument, context });
  expect(text).toContain('"context":{"arguments":{"country":"Germany"}}');
  const wrong = await client.ask('completion/complete', {
    ref,
    argument,
    context: { arguments: 5 },
  });
  expect(wrong).toContain('"code":-32602');
});
