import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, it, onTestFinished } from 'vitest';
import type { Failure } from '../src/contract/experience/index.ts';
import { aFolder, program, runTutti, serveTutti } from './support/run-tutti.ts';

const read = 'workspace.read_file';

async function failuresIn(cwd: string): Promise<readonly Failure[]> {
  return JSON.parse((await runTutti(['why', '--json'], { cwd })).stdout);
}

async function callOverMcp(cwd: string, path: string): Promise<void> {
  const client = new Client({ name: 'test', version: '1' });
  const env = { PATH: process.env['PATH'] ?? '', HOME: cwd, TUTTI_HOME: join(cwd, 'data') };
  const args = [program, 'mcp', '--only', 'workspace'];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd, env }));
  onTestFinished(() => client.close());
  const { isError } = await client.callTool({ name: 'read_file', arguments: { path } });
  expect(isError).toBe(true);
  await client.close();
}

it(
  'records failed calls over MCP, REST and at the terminal, explains them, and notes what cured them',
  {
    timeout: 120_000,
  },
  async () => {
    const cwd = aFolder();
    await runTutti(['call', read, 'path=one.txt'], { cwd });
    await callOverMcp(cwd, 'two.txt');
    const { url, headers, child } = await serveTutti({ cwd });
    const response = await fetch(`${url}/api/v1/tools/${read}/call`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', 'idempotency-key': 'a' },
      body: JSON.stringify({ arguments: { path: 'three.txt' } }),
    });
    expect(await response.text()).toContain('three.txt');
    const closed = once(child, 'close');
    child.kill('SIGTERM');
    await closed;
    const failures = await failuresIn(cwd);
    expect(failures.map(({ kind, subject, runId }) => [kind, subject, runId])).toEqual(
      Array.from({ length: 3 }, () => ['call', read, null]),
    );
    expect(failures.map(({ message }) => /\w+\.txt/.exec(message)?.[0])).toEqual([
      'three.txt',
      'two.txt',
      'one.txt',
    ]);
    const why = await runTutti(['why', failures.at(-1)?.id ?? ''], { cwd });
    expect(why.stdout).toContain('Cause: The file or folder is not there');

    writeFileSync(join(cwd, 'one.txt'), 'here');
    await runTutti(['call', read, 'path=one.txt'], { cwd });
    const cured = (await failuresIn(cwd)).filter(({ curedAt }) => curedAt !== null);
    expect(cured.map(({ id }) => id)).toEqual([failures.at(-1)?.id]);

    const plan = { name: 'reads', steps: [{ id: 'a', tool: read, args: { path: 'four.txt' } }] };
    writeFileSync(join(cwd, 'plan.json'), JSON.stringify(plan));
    await runTutti(['run', 'plan.json'], { cwd });
    const steps = (await failuresIn(cwd)).filter(({ message }) => message.includes('four.txt'));
    expect(steps.map(({ kind }) => kind)).toEqual(['step']);
  },
);
