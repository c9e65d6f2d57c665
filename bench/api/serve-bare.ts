/**
 * The bare handlers: Hono as people use it over the same rooms, without identity, permissions, audit, checks, pages,
 * ETags and limits. `node serve-bare.ts CONFIG_FOLDER`; prints its port.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { streamSSE } from 'hono/streaming';
import { openRooms } from '../../src/compose/open-rooms.ts';
import { loadSettingsHere } from '../../src/compose/settings.ts';

const folder = process.argv[2] ?? '';
const env = { XDG_CONFIG_HOME: folder, HOME: folder, PATH: process.env['PATH'] };
const request = { env: { ...env, TUTTI_HOME: `${folder}/bare` }, cwd: folder, flags: {} };
const rooms = await openRooms(request, await loadSettingsHere(request));
rooms.fleet.serve();
rooms.runs.serve();
const { workflows } = rooms.runs;
const { catalogue, control } = rooms.fleet;
const callerOf = (authorization = ''): { readonly id: string } => ({ id: authorization.slice(7) });
const maxListed = 50;

const app = new Hono();
app.get('/api/v1/health', async (context) => {
  const servers = (await control.status()).map(({ state }) => state);
  return context.json({ status: 'ok', uptimeSeconds: process.uptime(), servers: servers.length });
});
app.get('/api/v1/runs', async (context) => {
  const caller = callerOf(context.req.header('authorization'));
  const limit = Number(context.req.query('limit') ?? maxListed);
  return context.json({ items: await workflows.list(caller, { limit: limit + 1 }) });
});
app.post('/api/v1/runs', async (context) => {
  const { plan, input = {} } = await context.req.json();
  const caller = callerOf(context.req.header('authorization'));
  const source = { kind: 'data', plan } as const;
  return context.json(await workflows.start(caller, { source, input }), 201);
});
app.get('/api/v1/tools', async (context) => {
  const entries = (await catalogue.entries()).slice(0, maxListed);
  const items = entries.map(({ name, server, tool: { title, description } }) => ({
    name,
    server,
    title,
    description,
  }));
  return context.json({ items });
});
app.post('/api/v1/tools/:name/call', async (context) => {
  const { arguments: args } = await context.req.json();
  const caller = callerOf(context.req.header('authorization'));
  const { signal } = context.req.raw;
  const name = context.req.param('name').replace('.', '__');
  const result = await catalogue.callTool(name, args, {
    caller,
    signal,
    meta: {},
    progress: () => {},
  });
  return context.json({ content: result.content, isError: result.isError === true });
});
app.get('/api/v1/runs/:id/events', (context) =>
  streamSSE(context, async (stream) => {
    const caller = callerOf(context.req.header('authorization'));
    const id = context.req.param('id');
    const { entries } = await workflows.journal(caller, id, { after: 0, limit: 200 });
    for (const entry of entries) {
      await stream.writeSSE({ event: 'journal', data: JSON.stringify(entry) });
    }
    const { steps: _steps, ...run } = await workflows.show(caller, id);
    await stream.writeSSE({ event: 'run', data: JSON.stringify(run) });
  }),
);
await catalogue.listTools();
const listen = getRequestListener(app.fetch);
const server = createServer((incoming, outgoing) => void listen(incoming, outgoing));
server.listen(0, '127.0.0.1', () => {
  // A server that listens on TCP has an address of this shape.
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
// It ends with the program that started it.
process.stdin.resume().on('end', () => process.exit());
