import { createServer, type AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { aScriptedModel } from '../testing/scripted-model.ts';
import { createOwnedModel } from './owned-model.ts';
import { findSocketOwner } from './socket-owner.ts';

it('asks a model only while the user who was accepted runs it', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/v1`;
  const options = { signal: new AbortController().signal };
  const request = { messages: [] };
  const model = aScriptedModel('ollama', ['yes', 'no'], { url });
  const owned = createOwnedModel(model, await findSocketOwner(port));
  expect(await owned.ask(request, options)).toMatchObject({ text: 'yes' });
  const stolen = createOwnedModel(model, 'uid:54321');
  await expect(stolen.ask(request, options)).rejects.toMatchObject({ code: 'models.unreachable' });
  await expect(stolen.probe(options.signal)).rejects.toThrow('another program listens');
  expect(model.requests).toHaveLength(1);
});
