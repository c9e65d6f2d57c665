import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { silentLog } from '../../kernel/index.ts';
import type { Listing } from './listing.ts';
import { FileListingCache } from './listing-cache.ts';

const listing: Listing = {
  tools: [{ name: 'a', inputSchema: { type: 'object' } }],
  resources: [{ uri: 'x://a', name: 'a' }],
  templates: [{ uriTemplate: 'x://{a}', name: 'a' }],
  prompts: [{ name: 'p' }],
  instructions: 'Use it.',
  protocolVersion: '2025-11-25',
};

function aCache() {
  const folder = mkdtempSync(join(tmpdir(), 'tutti-listing-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const warnings: string[] = [];
  const log = { ...silentLog, warn: (message: string) => void warnings.push(message) };
  return { folder, warnings, cache: new FileListingCache(join(folder, 'kept'), log) };
}

it('returns the listing of a server for the same key', () => {
  const { cache, warnings } = aCache();
  cache.write('my server/..', 'k1', listing);
  expect(cache.read('my server/..', 'k1')).toEqual(listing);
  expect(cache.read('my server/..', 'k2')).toBeUndefined();
  expect(cache.read('my server_..', 'k1')).toBeUndefined();
  expect(warnings).toEqual([]);
});

it.each([
  ['no JSON', '{"format":2'],
  ['another shape', '{"format":2,"key":"k","listing":{"tools":[{"title":"no name"}]}}'],
  [
    'a tool without a schema',
    '{"format":2,"key":"k","listing":{"tools":[{"name":"a"}],"resources":[],"templates":[],"prompts":[]}}',
  ],
  [
    'instructions that are no text',
    '{"format":2,"key":"k","listing":{"tools":[],"resources":[],"templates":[],"prompts":[],"instructions":7}}',
  ],
  [
    'extensions that are none',
    '{"format":2,"key":"k","listing":{"tools":[],"resources":[],"templates":[],"prompts":[],"extensions":[]}}',
  ],
  ['no listing', '{"format":2,"key":"k","listing":null}'],
])('ignores a damaged file with a line in the log: %s', (_what, text) => {
  const { cache, folder, warnings } = aCache();
  cache.write('git', 'k', listing);
  const [name] = readdirSync(join(folder, 'kept'));
  writeFileSync(join(folder, 'kept', name ?? ''), text);
  expect(cache.read('git', 'k')).toBeUndefined();
  expect(warnings).toEqual(['ignoring corrupt cached listing']);
});

it('leaves no draft behind, and only warns where it cannot write', () => {
  const { cache, folder, warnings } = aCache();
  cache.write('git', 'k', listing);
  expect(readdirSync(join(folder, 'kept'))).toHaveLength(1);
  rmSync(join(folder, 'kept'), { recursive: true });
  writeFileSync(join(folder, 'kept'), 'a file in place of the folder');
  cache.write('git', 'k', listing);
  expect(warnings).toEqual(['failed to cache listing']);
});
