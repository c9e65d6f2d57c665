import { expect, it } from 'vitest';
import type { Tool } from '../../contract/tool/index.ts';
import { aFleet, ours } from '../testing/a-fleet.ts';
import { aServer } from '../testing/a-server.ts';

const tools: readonly Tool[] = [
  {
    name: 'find_tools',
    description: 'Then call one with call_tool, and ask.',
    inputSchema: {
      type: 'object',
      properties: { query: { type: 'string', description: 'For call_tool, not recall_tools.' } },
    },
  },
  { name: 'call_tool', description: 'Not about its sibling.', inputSchema: { type: 'object' } },
  { name: 'ask', description: 'Asks.', inputSchema: { type: 'object' } },
];

it('names siblings in descriptions as clients know them', async () => {
  const admin = ours(aServer('admin', { listTools: async () => tools }));
  const { catalogue } = aFleet({ servers: [admin, ours(aServer('other'))] });
  const finder = (await catalogue.listTools()).find(({ name }) => name === 'admin__find_tools');
  expect(finder).toMatchObject({
    name: 'admin__find_tools',
    description: 'Then call one with admin__call_tool, and ask.',
    inputSchema: {
      properties: { query: { description: 'For admin__call_tool, not recall_tools.' } },
    },
  });
  const entry = (await catalogue.entries()).find(({ name }) => name === 'admin.find_tools');
  expect(entry?.tool.description).toContain('with call_tool');
});

it('leaves bare names where one server is served', async () => {
  const admin = ours(aServer('admin', { listTools: async () => tools }));
  const listed = await aFleet({ servers: [admin] }).catalogue.listTools();
  const finder = listed.find(({ name }) => name === 'find_tools');
  expect(finder?.description).toBe('Then call one with call_tool, and ask.');
});
