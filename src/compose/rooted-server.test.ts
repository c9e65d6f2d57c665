import { expect, it } from 'vitest';
import type { CallContext, McpServer } from '../contract/server/index.ts';
import { openRooted } from './rooted-server.ts';

const context = {} as CallContext;

/** Servers that answer with their roots; a call of "wait" goes on until it is released. */
function servers() {
  const closed: string[] = [];
  const released = Promise.withResolvers<void>();
  const open = async (roots: readonly string[]): Promise<McpServer> => {
    if (roots.includes('/broken') && closed.length === 0) throw new Error('broken');
    return {
      name: 'x',
      title: 'X',
      version: '1',
      callTool: async (tool: string) => {
        if (tool === 'wait') await released.promise;
        return { content: [{ type: 'text', text: roots.join() }] };
      },
      close: async () => void closed.push(roots.join()),
    } as Partial<McpServer> as McpServer;
  };
  return { open, closed, released };
}

async function text(result: ReturnType<McpServer['callTool']>): Promise<unknown> {
  return (await result).content[0];
}

it('is opened anew when the roots change, and the old one closed after its last call', async () => {
  const { open, closed, released } = servers();
  let folders: readonly string[] = ['/a'];
  const server = await openRooted({ current: async () => folders }, open);
  const running = server.callTool('wait', {}, context);
  await Promise.resolve();
  folders = ['/b'];
  expect(await text(server.callTool('now', {}, context))).toMatchObject({ text: '/b' });
  expect(closed).toEqual([]);
  released.resolve();
  expect(await text(running)).toMatchObject({ text: '/a' });
  await new Promise(setImmediate);
  expect(closed).toEqual(['/a']);
  await server.close();
  expect(closed).toEqual(['/a', '/b']);
});

it('is tried again after it could not be opened', async () => {
  const { open, closed } = servers();
  let folders: readonly string[] = ['/a'];
  const server = await openRooted({ current: async () => folders }, open);
  folders = ['/broken'];
  await expect(server.callTool('now', {}, context)).rejects.toThrow('broken');
  await new Promise(setImmediate);
  expect(closed).toEqual(['/a']);
  expect(await text(server.callTool('now', {}, context))).toMatchObject({ text: '/broken' });
});
