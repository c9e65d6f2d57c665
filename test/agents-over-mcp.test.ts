import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { aFolder, serveTutti } from './support/run-tutti.ts';

const patience = { timeout: 30_000, interval: 100 };

/** An agent that reads a file, now or after five minutes. */
const agentFile = `---
name: reader
version: 1.0.0
description: Reads.
capabilities: [file.read, file.await]
tools: [workspace.read_file]
criteria: [ran]
procedures:
  file.read:
    plan: { steps: [{ id: read, tool: workspace.read_file, args: { path: a.txt } }] }
  file.await:
    plan:
      steps:
        - { id: pause, sleep: 5m }
        - { id: read, tool: workspace.read_file, args: { path: a.txt }, when: 'exists(\${pause})' }
---
`;

async function aServer() {
  const cwd = aFolder();
  const folder = join(cwd, '.config', 'tutti', 'agents');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'reader.md'), agentFile);
  writeFileSync(join(cwd, 'a.txt'), 'hello');
  const { url, headers } = await serveTutti({ cwd });
  const api = async (path: string, init: RequestInit = {}) => {
    const sent = { ...headers, 'content-type': 'application/json' };
    const answer = await fetch(new URL(`/api/v1${path}`, url), { ...init, headers: sent });
    return Object(await answer.json());
  };
  const statuses = async (): Promise<string[]> => {
    const { items } = await api('/runs');
    return items.map(({ status }: { status: string }) => status);
  };
  return { url, headers, api, statuses };
}

describe('delegation by clients', { timeout: 120_000 }, () => {
  it('over MCP: with progress, the result as data, and a cancelled call ends the run of the agent', async () => {
    const { url, headers, statuses } = await aServer();
    const client = new Client({ name: 'editor', version: '1' });
    const options = { requestInit: { headers } };
    await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), options));
    onTestFinished(() => client.close());
    const heard: string[] = [];
    const onprogress = ({ message = '' }) => void heard.push(message);
    const read = (capability: string, signal?: AbortSignal) =>
      client.callTool(
        { name: 'agent__delegate', arguments: { capability, task: 'Read a.txt' } },
        { onprogress, ...(signal && { signal }) },
      );
    const done = await read('file.read');
    expect(done.structuredContent).toMatchObject({ verdict: 'done', agent: 'reader' });
    expect(heard.some((message) => message.includes('succeeded'))).toBe(true);
    const abort = new AbortController();
    const cancelled = read('file.await', abort.signal).catch((error: unknown) => error);
    await vi.waitFor(async () => expect(await statuses()).toContain('running'), patience);
    abort.abort('no longer wanted');
    await cancelled;
    await vi.waitFor(async () => expect(await statuses()).toContain('cancelled'), patience);
    expect(await statuses()).not.toContain('running');
  });

  it('over REST: a call that its client drops ends the run of the agent', async () => {
    const { api, statuses } = await aServer();
    const call = (capability: string, signal?: AbortSignal) =>
      api('/tools/agent.delegate/call', {
        method: 'POST',
        body: JSON.stringify({ arguments: { capability, task: 'Read a.txt' } }),
        ...(signal && { signal }),
      });
    const done = await call('file.read');
    expect(done.structuredContent).toMatchObject({ verdict: 'done', agent: 'reader' });
    const abort = new AbortController();
    const dropped = call('file.await', abort.signal).catch((error: unknown) => error);
    await vi.waitFor(async () => expect(await statuses()).toContain('running'), patience);
    abort.abort();
    await dropped;
    await vi.waitFor(async () => expect(await statuses()).toContain('cancelled'), patience);
  });
});
