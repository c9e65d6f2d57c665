/**
 * An MCP server on standard input and output whose lists are a random mix of wrong entries around a right one:
 * `sloppy-server.ts SEED COUNT [stateless]`. Entries are written as the texts they are in test/data/listings/sloppy.jsonl,
 * because no library would write them. Its capabilities are wrong, too.
 */
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { seededRandom } from '../../../testkit/sample.ts';

const [seed = '1', count = '20', era = ''] = process.argv.slice(2);
const random = seededRandom(Number(seed));
const file = new URL('../../data/listings/sloppy.jsonl', import.meta.url);
const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
const rightEntries = {
  tools: '{"name":"right","inputSchema":{"type":"object"}}',
  prompts: '{"name":"right"}',
  resources: `{"uri":"right://${seed}","name":"right"}`,
  resourceTemplates: `{"uriTemplate":"right://${seed}/{id}","name":"right"}`,
};

type ListName = keyof typeof rightEntries;

function mixOf(list: ListName): string {
  const pattern = /^\{"list":"(\w+)","why":"(?:[^"\\]|\\.)*","entry":(.*)\}$/;
  const texts = lines.flatMap((line) => {
    const [, name, text = ''] = pattern.exec(line) ?? [];
    return name === list ? [text] : [];
  });
  const mix = texts
    .map((text) => ({ text, order: random() }))
    .sort((a, b) => a.order - b.order)
    .slice(0, Number(count))
    .map(({ text }) => text);
  mix.splice(Math.floor(random() * mix.length), 0, rightEntries[list]);
  return `{"${list}":[${mix.join(',')}]}`;
}

const lists = new Map<string, string>([
  ['tools/list', mixOf('tools')],
  ['prompts/list', mixOf('prompts')],
  ['resources/list', mixOf('resources')],
  ['resources/templates/list', mixOf('resourceTemplates')],
]);
const capabilities = {
  tools: {},
  prompts: {},
  resources: {},
  tasks: { list: true, cancel: 'yes', requests: { tools: { call: 1 } } },
  extensions: { a: true, b: {}, c: null },
};
const serverInfo = { name: null, version: 7, title: ['x'], icons: 'none' };
const introductions = new Map<string, object>([
  [
    'initialize',
    { protocolVersion: '2025-11-25', capabilities, serverInfo, instructions: ['none'] },
  ],
  ['server/discover', { supportedVersions: ['2026-07-28'], capabilities, instructions: 5 }],
]);
introductions.delete(era === 'stateless' ? 'initialize' : 'server/discover');

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const { id, method } = JSON.parse(line) as { id?: number; method?: string };
    if (id === undefined || method === undefined) return;
    const introduction = introductions.get(method);
    const result = lists.get(method) ?? (introduction && JSON.stringify(introduction));
    const outcome =
      result === undefined ? '"error":{"code":-32601,"message":"no"}' : `"result":${result}`;
    process.stdout.write(`{"jsonrpc":"2.0","id":${id},${outcome}}\n`);
  })
  .on('close', () => process.exit());
