import { describe, expect, it } from 'vitest';
import type { ClientPort } from '../../contract/server/index.ts';
import { createFakeMemoryItems } from '../../../testkit/cli/fake-memory-items.ts';
import { aCallContext } from '../../../testkit/toolbox/call-context.ts';
import { createMemoryServer } from './memory-server.ts';

function aServer() {
  const memory = createFakeMemoryItems([]);
  return { memory, server: createMemoryServer({ version: '1', memory }) };
}

function aClient(answer: Readonly<Record<string, unknown>>) {
  const asked: string[] = [];
  const client: ClientPort = {
    id: 'c',
    era: 'handshake',
    capabilities: { elicitation: {} },
    ask: async ({ params }) => {
      asked.push(String(params['message']));
      return answer;
    },
    notify: () => {},
  };
  return { client, asked };
}

describe('the server memory', () => {
  it('finds what was remembered and says why', async () => {
    const { server } = aServer();
    const text = 'Staging is on port 5433';
    const kept = await server.callTool('remember', { text }, aCallContext({ face: 'cli' }));
    expect(kept.structuredContent).toMatchObject({ item: { text, status: 'active' } });
    const found = await server.callTool('search', { query: 'staging' }, aCallContext());
    expect(found.structuredContent).toMatchObject({ hits: [{ item: { text } }] });
    expect(found.content[0]?.['text']).toContain('It was given at the terminal');
    const nothing = await server.callTool('search', { query: 'zebra' }, aCallContext());
    expect(nothing.content[0]?.['text']).toContain('Nothing that is remembered');
  });

  it.each([
    ['a run or the agent', undefined],
    ['a client that cannot be asked', 'mcp'],
  ] as const)('makes a candidate of what %s remembers', async (_who, face) => {
    const { server } = aServer();
    const context = aCallContext(face === undefined ? {} : { face });
    const kept = await server.callTool('remember', { text: 'trust me' }, context);
    expect(kept.structuredContent).toMatchObject({ item: { status: 'candidate' } });
    expect(kept.content[0]?.['text']).toContain('tutti memory accept');
  });

  it.each([
    [{ action: 'accept', content: { accept: true } }, 'active'],
    [{ action: 'accept', content: { accept: 'yes' } }, 'candidate'],
    [{ action: 'accept' }, 'candidate'],
    [{ action: 'decline' }, 'candidate'],
  ])('asks the person behind a client: %j', async (answer, status) => {
    const { server } = aServer();
    const { client, asked } = aClient(answer);
    const context = aCallContext({ face: 'mcp', client });
    const kept = await server.callTool('remember', { text: 'Rex is a dog' }, context);
    expect(asked).toEqual(['Remember this?\nRex is a dog']);
    expect(kept.structuredContent).toMatchObject({ item: { status } });
  });

  it('corrects, pins, excludes, explains and forgets, and cannot accept', async () => {
    const { server, memory } = aServer();
    const context = aCallContext({ face: 'cli' });
    await server.callTool('remember', { text: 'The port is 1' }, context);
    const call = (args: object) => server.callTool('update', { id: 'm1', ...args }, context);
    expect((await call({ action: 'pin' })).structuredContent).toMatchObject({
      item: { pinned: true },
    });
    expect((await call({ action: 'exclude' })).structuredContent).toMatchObject({
      item: { status: 'excluded' },
    });
    expect(
      (await call({ action: 'correct', text: 'The port is 2' })).structuredContent,
    ).toMatchObject({ item: { supersedes: 'm1' } });
    for (const args of [{ action: 'correct' }, { action: 'accept' }, { action: 'active' }]) {
      expect(await call(args)).toMatchObject({ isError: true });
    }
    const explained = await server.callTool('explain', { id: 'm1' }, context);
    expect(explained.content[0]?.['text']).toContain('It was given at the terminal');
    const forgotten = await server.callTool('forget', { ids: ['m1'] }, context);
    expect(forgotten.structuredContent).toMatchObject({ forgotten: ['m1'], turns: 0 });
    await expect(memory.explain({ id: 'local' }, 'm1')).rejects.toMatchObject({
      code: 'memory.unknown_item',
    });
    expect(await server.callTool('forget', { ids: ['m1'] }, context)).toMatchObject({
      isError: true,
    });
  });

  it('declares what takes something away', async () => {
    const tools = await aServer().server.listTools();
    const destructive = tools.filter(({ annotations }) => annotations?.destructiveHint === true);
    expect(destructive.map(({ name }) => name)).toEqual(['forget', 'update']);
    const readOnly = tools.filter(({ annotations }) => annotations?.readOnlyHint === true);
    expect(readOnly.map(({ name }) => name)).toEqual(['search', 'explain']);
  });
});
