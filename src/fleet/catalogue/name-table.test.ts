import { describe, expect, it } from 'vitest';
import type { Tool } from '../../contract/tool/index.ts';
import { aFleet, anEntry, anOutside, ours } from '../../../testkit/fleet/a-fleet.ts';
import { aConnection, aContext, aServer } from '../../../testkit/fleet/a-server.ts';

const tool = (name: string): Tool => ({ name, inputSchema: { type: 'object' } });

function aFleetOf(
  servers: Readonly<Record<string, { tools: string[]; settings?: Record<string, unknown> }>>,
) {
  const entries = Object.entries(servers).map(([name, { settings }]) => anEntry(name, settings));
  const outside = anOutside(entries, async ({ entry }) =>
    aConnection(entry.name, {
      listTools: async () => (servers[entry.name]?.tools ?? []).map((name) => tool(name)),
      callTool: async (name) => ({ content: [{ type: 'text', text: `${entry.name}/${name}` }] }),
      listResources: async () => [{ uri: 'shared://a', name: entry.name }],
      listResourceTemplates: async () => [],
    }),
  );
  return aFleet({ outside });
}

const namesOf = (tools: readonly { readonly name: string }[]): string[] =>
  tools.map(({ name }) => name);

describe('names', () => {
  it('come in one order: servers by name, tools by name', async () => {
    const { catalogue } = aFleetOf({ zoo: { tools: ['b', 'a'] }, ape: { tools: ['z', 'B', 'a'] } });
    expect(namesOf(await catalogue.listTools())).toEqual([
      'ape__B',
      'ape__a',
      'ape__z',
      'zoo__a',
      'zoo__b',
    ]);
  });

  it('carry the prefix an entry asks for, and are found by it', async () => {
    const { catalogue } = aFleetOf({
      one: { tools: ['a'], settings: { prefix: 'files' } },
      two: { tools: ['a'] },
    });
    expect(namesOf(await catalogue.listTools())).toEqual(['files__a', 'two__a']);
    const result = await catalogue.callTool('files.a', {}, aContext());
    expect(result.content[0]).toMatchObject({ text: 'one/a' });
  });

  it('are chosen by include and exclude', async () => {
    const tools = ['read_file', 'read_dir', 'write_file', 'delete'];
    const { catalogue } = aFleetOf({
      fs: { tools, settings: { tools: { include: ['*_file', 'read*'], exclude: ['write*'] } } },
    });
    expect(namesOf(await catalogue.listTools())).toEqual(['read_dir', 'read_file']);
    await expect(catalogue.callTool('delete', {}, aContext())).rejects.toThrow('Unknown tool');
  });

  it('that a prefix takes from another server stay with the server of that name', async () => {
    const { catalogue, control } = aFleetOf({
      alpha: { tools: ['a'], settings: { prefix: 'git' } },
      git: { tools: ['a'] },
    });
    expect(namesOf(await catalogue.listTools())).toEqual(['alpha-2__a', 'git__a']);
    expect(control.collisions()[0]).toBe(
      'Servers "git" and "alpha" both put "git" in front of their tools; those of "alpha" have ' +
        '"alpha-2" instead',
    );
  });

  it('that have the same wire name get a hash, and stay callable', async () => {
    const { catalogue, control } = aFleetOf({ a: { tools: ['b__c'] }, a__b: { tools: ['c'] } });
    const names = namesOf(await catalogue.listTools());
    expect(names).toEqual(['a__b__c', expect.stringMatching(/^a__b__c_[0-9a-f]{8}$/)]);
    const result = await catalogue.callTool(names[1] ?? '', {}, aContext());
    expect(result.content[0]).toMatchObject({ text: 'a__b/c' });
    expect(control.collisions()[0]).toMatch(/^Servers "a" and "a__b" both have "a__b__c"/);
  });

  it('are never given twice, whatever names a server chooses', async () => {
    const servers = { a__b: { tools: ['c'] }, a: { tools: ['b__c'] } };
    const taken = namesOf(await aFleetOf(servers).catalogue.listTools());
    const hashed = taken.find((name) => name !== 'a__b__c') ?? '';
    const { catalogue } = aFleetOf({
      ...servers,
      a: { tools: ['b__c', hashed.slice('a__'.length)] },
    });
    const names = namesOf(await catalogue.listTools());
    expect(new Set(names).size).toBe(3);
    const said = await Promise.all(
      names.map(
        async (name) => (await catalogue.callTool(name, {}, aContext())).content[0]?.['text'],
      ),
    );
    expect(new Set(said).size).toBe(3);
  });

  it('of prompts that read the same with dots belong to the first', async () => {
    const outside = anOutside([anEntry('a'), anEntry('a.b')], async ({ entry }) =>
      aConnection(entry.name, {
        listPrompts: async () => [{ name: entry.name === 'a' ? 'b.c' : 'c' }],
      }),
    );
    const { catalogue } = aFleet({ outside });
    const { messages } = await catalogue.getPrompt('a.b.c', {}, aContext());
    expect(messages[0]?.content).toMatchObject({ text: 'a/b.c' });
  });

  it('that read the same with dots are reached by their wire names', async () => {
    const { catalogue } = aFleetOf({ a: { tools: ['b.c'] }, 'a.b': { tools: ['c'] } });
    const entries = await catalogue.entries();
    expect(entries[0]?.name).toBe('a.b.c');
    expect(entries[1]?.name).toBe(entries[1]?.wireName);
  });

  it('a server lists twice count once', async () => {
    const { catalogue, control } = aFleetOf({ a: { tools: ['x', 'x', 'y'] } });
    expect(namesOf(await catalogue.listTools())).toEqual(['x', 'y']);
    expect(control.collisions()).toEqual(['Server "a" lists tool "x" twice; the first counts']);
  });

  it('of resources that several servers have stand behind the name of all but the first', async () => {
    const { catalogue, control } = aFleetOf({
      B_1: { tools: [] },
      a: { tools: [] },
      b: { tools: [] },
    });
    expect(await catalogue.listResources()).toEqual([
      { uri: 'shared://a', name: 'B_1' },
      { uri: 'a+shared://a', name: 'a' },
      { uri: 'b+shared://a', name: 'b' },
    ]);
    expect(control.collisions()).toEqual([
      'Servers "B_1" and "a" both have shared://a; that of "a" is a+shared://a',
      'Servers "B_1" and "b" both have shared://a; that of "b" is b+shared://a',
    ]);
  });

  it('of our own servers are not taken by configured ones', async () => {
    const outside = anOutside([anEntry('code')], async () => aConnection('code'));
    const { catalogue, control } = aFleet({ servers: [ours(aServer('code'))], outside });
    expect(namesOf(await catalogue.listTools())).toEqual(['code__hello', 'code-2__hello']);
    expect((await control.status()).map(({ name }) => name)).toEqual(['code', 'code-2']);
    expect(control.collisions()[0]).toContain('available as "code-2"');
  });

  it('are listed as the same bytes by two fleets, and by one twice', async () => {
    const servers = { b: { tools: ['y', 'x'] }, a: { tools: ['z', 'w'] } };
    const [one, two] = [aFleetOf(servers).catalogue, aFleetOf(servers).catalogue];
    const first = await one.listTools();
    expect(JSON.stringify(await two.listTools())).toBe(JSON.stringify(first));
    expect(await one.listTools()).toBe(first);
  });
});

const toolsOfAdmin: readonly Tool[] = [
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
  const admin = ours(aServer('admin', { listTools: async () => toolsOfAdmin }));
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
  const admin = ours(aServer('admin', { listTools: async () => toolsOfAdmin }));
  const listed = await aFleet({ servers: [admin] }).catalogue.listTools();
  const finder = listed.find(({ name }) => name === 'find_tools');
  expect(finder?.description).toBe('Then call one with call_tool, and ask.');
});
