import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { LineClient } from './support/line-client.ts';
import { aFolder, runTutti, startTutti } from './support/run-tutti.ts';

/** A server whose list of tools fails in this way until `file` is there. */
const flaky = `
const [failure, file] = process.argv.slice(1);
const list = () => {
  if (require('fs').existsSync(file)) return { result: { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] } };
  return JSON.parse(failure);
};
require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  const serverInfo = { name: 'flaky', version: '1' };
  const answers = {
    initialize: { result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo } },
    'tools/list': list(),
    'tools/call': { result: { content: [{ type: 'text', text: 'echoed' }] } },
  };
  const answer = answers[method] ?? { error: { code: -32601, message: 'unknown' } };
  console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
});
`;

const failures = [
  ['an error', { error: { code: -32_603, message: 'database is locked' } }, /database is locked/],
  ['no list', { result: { tools: 'none' } }, /contains no list/],
  ['an unknown method', { error: { code: -32_601, message: 'not yet' } }, /not yet/],
  ['a result that is none', { result: 7 }, /not an object/],
] as const;

it.each(failures)(
  'tools/list answered with %s is reported, and tried again',
  async (_, answer, reason) => {
    const cwd = aFolder();
    mkdirSync(join(cwd, 'tutti'));
    const file = join(cwd, 'is-well');
    const entry = { command: process.execPath, args: ['-e', flaky, JSON.stringify(answer), file] };
    const config = { mcpServers: { flaky: entry } };
    writeFileSync(join(cwd, 'tutti', 'config.yaml'), JSON.stringify(config));
    const options = { cwd, env: { XDG_CONFIG_HOME: cwd } };

    const servers = await runTutti(['servers'], options);
    const line = servers.stdout.split('\n').find((it) => it.startsWith('flaky'));
    expect(line).toMatch(/0 tools.*failed to list/);
    expect(line).toMatch(reason);
    const call = await runTutti(['call', 'flaky.echo'], options);
    expect(call.exitCode).toBe(1);
    expect(call.stderr).toMatch(reason);

    const client = new LineClient(startTutti(['mcp', '--only', 'flaky'], options));
    await client.initialize();
    expect((await client.ask('tools/list'))?.result).toEqual({ tools: [] });
    const refused = await client.ask('tools/call', { name: 'echo', arguments: {} });
    expect(refused?.error?.message).toMatch(/The tools of server "flaky" could not be listed/);
    expect(refused?.error?.message).toMatch(reason);
    writeFileSync(file, '');
    await vi.waitFor(
      async () => expect((await client.ask('tools/list'))?.result?.['tools']).toHaveLength(1),
      { timeout: 20_000, interval: 250 },
    );
  },
);
