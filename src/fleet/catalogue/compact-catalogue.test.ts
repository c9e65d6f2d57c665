import { describe, expect, it } from 'vitest';
import type { Catalogue } from '../../contract/catalogue/index.ts';
import type { McpServer, ServerChange } from '../../contract/server/index.ts';
import { aFleet, ours } from '../../../testkit/fleet/a-fleet.ts';
import { aContext, aServer } from '../../../testkit/fleet/a-server.ts';
import { compactCatalogue, type CompactOptions } from './compact-catalogue.ts';

const options: CompactOptions = {
  maxTools: 4,
  finders: ['admin.find', 'admin.call'],
  pinned: ['admin.list', 'many.tool_1', 'many__tool_0', 'nobody.nothing'],
};

/** A server with as many tools as wanted, which can become more or fewer. */
function manyTools(count: number): { server: McpServer; grow: (count: number) => void } {
  let current = count;
  const listeners = new Set<(change: ServerChange) => void>();
  const server = aServer('many', {
    listTools: async () =>
      Array.from({ length: current }, (_, at) => ({
        name: `tool_${at}`,
        inputSchema: { type: 'object' },
      })),
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  });
  return {
    server,
    grow: (next) => {
      current = next;
      for (const listener of listeners) listener({ kind: 'tools' });
    },
  };
}

const admin = aServer('admin', {
  listTools: async () =>
    ['find', 'call', 'list'].map((name) => ({ name, inputSchema: { type: 'object' } })),
});

function aFace(
  count: number,
  parts: Partial<CompactOptions> = {},
): { face: Catalogue; grow: (count: number) => void } {
  const { server, grow } = manyTools(count);
  const { catalogue } = aFleet({ servers: [ours(server), ours(admin)] });
  return { face: compactCatalogue(catalogue, { ...options, ...parts }), grow };
}

async function namesOf(face: Catalogue): Promise<string[]> {
  return (await face.listTools()).map(({ name }) => name);
}

const few = ['many__tool_0', 'many__tool_1', 'admin__find', 'admin__call', 'admin__list'];

describe('a compact catalogue', () => {
  it('lists all of few tools, and of many just the finders and the pinned ones', async () => {
    expect(await namesOf(aFace(1).face)).toHaveLength(4);
    expect((await namesOf(aFace(50).face)).sort()).toEqual(few.toSorted());
    expect(await namesOf(aFace(1, { maxTools: 0 }).face)).toHaveLength(4);
  });

  it('lists the same array until something changed', async () => {
    const { face } = aFace(50);
    expect(await face.listTools()).toBe(await face.listTools());
  });

  it('leaves servers out of a long list that are not to be listed, and does not count them', async () => {
    const { face } = aFace(50, { maxTools: Infinity, unlistedServers: ['many'] });
    const listed = await namesOf(face);
    expect(listed).toContain('many__tool_1');
    expect(listed).not.toContain('many__tool_30');
    expect(listed).toHaveLength(5);
    expect(await namesOf(aFace(50, { unlistedServers: ['many'] }).face)).toHaveLength(5);
    expect(await face.callTool('many__tool_30', {}, aContext())).toMatchObject({
      content: [{ text: 'hello from many' }],
    });
    const withoutFinders = { finders: ['admin.gone'], unlistedServers: ['many'] };
    expect(await namesOf(aFace(50, withoutFinders).face)).toHaveLength(53);
  });

  it('calls a tool that is not listed', async () => {
    const { face } = aFace(50);
    expect(await face.callTool('many__tool_40', {}, aContext())).toMatchObject({
      content: [{ text: 'hello from many' }],
    });
    expect(await face.entries()).toHaveLength(53);
  });

  it('lists everything where the finders are missing', async () => {
    expect(await namesOf(aFace(50, { finders: ['admin.find', 'admin.gone'] }).face)).toHaveLength(
      53,
    );
  });

  it('announces that the list became short, and nothing when it stays as it was', async () => {
    const { face, grow } = aFace(1);
    const changes: ServerChange[] = [];
    const stop = face.onChange((change) => changes.push(change));
    expect(await namesOf(face)).toHaveLength(4);
    grow(50);
    await expect.poll(() => changes).toEqual([{ kind: 'tools' }]);
    expect(await namesOf(face)).toHaveLength(5);
    grow(60);
    await expect.poll(async () => (await face.entries()).length).toBe(63);
    expect(await namesOf(face)).toHaveLength(5);
    grow(1);
    await expect.poll(() => changes).toHaveLength(2);
    stop();
  });

  it('is the catalogue in everything else', async () => {
    const { face } = aFace(50);
    expect(face.name).toBe('tutti');
    expect(face.instructions).toContain('admin__find and admin__call');
    expect(await face.listResources()).toHaveLength(2);
    expect(await face.listResourceTemplates()).toHaveLength(2);
    expect(await face.readResource('many://a', aContext())).toMatchObject({
      contents: [{ text: 'many' }],
    });
    expect(await face.listPrompts()).toHaveLength(2);
    expect(await face.getPrompt('many__greet', {}, aContext())).toMatchObject({ messages: [{}] });
    const reference = { type: 'ref/prompt', name: 'many__greet' } as const;
    const request = { reference, argument: { name: 'a', value: '' } };
    expect(await face.complete(request, aContext())).toEqual({ values: ['greet'] });
    expect(face.failures?.()).toEqual([]);
    expect(face.extensions?.()).toEqual({});
    face.setLogLevel?.('debug');
    (await face.watchResource?.('many://a'))?.();
    expect(await face.request?.('tasks/list', {}, aContext())).toEqual({ tasks: [] });
    await face.close();
  });
});
