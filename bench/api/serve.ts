import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { aWholeApi } from '../../testkit/api/a-whole-api.ts';

/**
 * `ours`: the API behind its listener. `bare`: a Hono handler for each path that asks the same rooms and sends the same
 * JSON, without identity, permission, checks, pages or ETags.
 */
const whole = await aWholeApi();
const caller = { id: 'acme/anna' };
const pageSize = 50;
for (let number = 0; number < pageSize; number += 1) {
  const body = { plan: { name: `run ${number}`, steps: [{ id: 'a', sleep: '1ms' }] } };
  await whole.send({ method: 'POST', path: '/api/v1/runs', body });
}
if (process.argv[2] === 'ours') process.send?.(new URL(whole.url).port);
else {
  const { runs, fleet, version } = whole.rooms;
  const app = new Hono();
  app.get('/api/v1/health', async (context) => {
    const states = (await fleet.control.status()).map(({ state }) => state);
    return context.json({ status: 'ok', version, uptimeSeconds: 1, servers: states.length });
  });
  app.get('/api/v1/runs', async (context) =>
    context.json({ items: await runs.workflows.list(caller, { limit: pageSize + 1 }) }),
  );
  app.get('/api/v1/tools', async (context) => {
    const entries = (await fleet.catalogue.entries()).slice(0, pageSize);
    const items = entries.map(({ name, server, tool: { title, description } }) => ({
      name,
      server,
      title,
      description,
    }));
    return context.json({ items });
  });
  const listen = getRequestListener(app.fetch);
  const server = createServer((request, response) => void listen(request, response));
  // A server that listens on TCP has an address of this shape.
  const tell = () => process.send?.((server.address() as AddressInfo).port);
  server.listen(0, '127.0.0.1', tell);
}
process.once('disconnect', () => process.exit());
