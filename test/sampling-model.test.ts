import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it, onTestFinished } from 'vitest';

const eras = [
  { era: '2025-11-25, which is asked while it waits', mode: 'legacy' },
  { era: '2026-07-28, which is told that input is required', mode: 'auto' },
] as const;

const specification = {
  formalized_description: 'Customers pause their subscription.',
  requirements: ['A pause can be ended at any time'],
  steps: ['Add a state'],
  estimated_complexity: 'low',
};

describe.each(eras)('a client of $era', ({ mode }) => {
  async function connect(capabilities: object): Promise<Client> {
    const folder = mkdtempSync(join(tmpdir(), 'tutti-sampling-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const client = new Client(
      { name: 'test', version: '1' },
      { versionNegotiation: { mode }, capabilities },
    );
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [resolve('bin/tutti.js'), 'mcp', '--only', 'code'],
      cwd: folder,
      env: {
        PATH: process.env['PATH'] ?? '',
        TUTTI_HOME: folder,
        TUTTI_MODELS_AUTODETECT: 'false',
      },
      stderr: 'ignore',
    });
    onTestFinished(() => client.close());
    if ('sampling' in capabilities) answerWith(client);
    await client.connect(transport);
    return client;
  }

  const asked: string[] = [];

  /** A model that talks around the JSON it was asked for. */
  function answerWith(client: Client): void {
    client.setRequestHandler('sampling/createMessage', async ({ params }) => {
      asked.push(JSON.stringify(params));
      const text = `Sure!\n\`\`\`json\n${JSON.stringify(specification)}\n\`\`\``;
      return { role: 'assistant', model: 'theirs', content: { type: 'text', text } };
    });
  }

  const call = { name: 'formalize_task', arguments: { informal_request: 'let customers pause' } };

  it('lends its model where Tutti has none', async () => {
    const client = await connect({ sampling: {} });
    const result = await client.callTool(call);
    expect(result.structuredContent).toMatchObject({ ...specification, origin: 'model' });
    expect(asked.join('')).toContain('let customers pause');
  });

  it('gets a template that says so where it lends none', async () => {
    const client = await connect({});
    const result = await client.callTool(call);
    expect(result.structuredContent).toMatchObject({
      origin: 'template',
      model: null,
      notice: expect.stringContaining('model'),
    });
  });
});
