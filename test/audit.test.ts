import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import type { AuditEntry } from '../src/contract/access/index.ts';
import { LineClient } from './support/line-client.ts';
import { aFolder, runTutti, serveTutti, startTutti } from './support/run-tutti.ts';

const canary = 'canary-7f3a9c51-secret';
const format = { language: 'python', code: `key = "${canary}"` };
const plan = `steps:
  - id: write
    tool: workspace.apply_changes
    approval: { message: "Write it?" }
    args: { changes: [{ path: out.txt, content: "${canary}" }] }
`;

it(
  'has every call, approval, refusal and change of a server, and never an argument',
  { timeout: 120_000 },
  async () => {
    const cwd = aFolder();
    const tutti = (...argv: string[]) => runTutti(argv, { cwd });
    writeFileSync(join(cwd, 'a.plan.yaml'), plan);
    await tutti('call', 'code.format_code', '--args', JSON.stringify(format));
    await callOverPipe(cwd);
    await requestOverHttp(cwd);
    await tutti('servers', 'add', 'none', '--', 'true');
    await tutti('servers', 'disable', 'none');
    await tutti('keys', 'create', 'ci', '--role', 'viewer');
    expect((await tutti('run', 'a.plan.yaml')).exitCode).toBe(4);
    expect((await tutti('runs', 'deny')).exitCode).toBe(1);

    const entries = JSON.parse((await tutti('audit', '--json')).stdout) as AuditEntry[];
    const shown = entries.map(({ face, action, target, isAllowed }) =>
      [face, action, target, isAllowed ? 'allowed' : 'refused'].join(' '),
    );
    expect(shown).toEqual([
      'cli tools.call code.format_code allowed',
      'mcp tools.call code.format_code allowed',
      'mcp auth.refused POST /mcp refused',
      'mcp guard.refused POST /mcp refused',
      'rest tools.call POST /api/v1/tools/code.format_code/call allowed',
      'rest tools.call code.format_code allowed',
      'cli servers.manage add none in the user file allowed',
      'cli servers.manage disable none in the user file allowed',
      'cli keys.manage create "ci" allowed',
      expect.stringMatching(/^cli runs\.approve \S+( write)? refused$/),
    ]);
    const [first, second] = entries;
    expect(first?.argumentsDigest).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(second?.argumentsDigest).toBe(first?.argumentsDigest);
    const trace = JSON.parse((await tutti('trace', first?.traceId ?? '', '--json')).stdout);
    expect(trace).toMatchObject({ spans: [{ name: 'tools/call code.format_code' }] });

    const exported = await tutti('audit', 'export', '--format', 'ocsf');
    expect(exported.stdout.trimEnd().split('\n')).toHaveLength(entries.length);
    expect(exported.stdout + JSON.stringify(entries)).not.toContain(canary);
    expect(await tutti('audit', 'verify')).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining(`intact: ${entries.length} entries`),
    });
    expect(readFileSync(join(cwd, 'data', 'tutti.db-audit'), 'utf8').length).toBeLessThan(120);

    const database = new DatabaseSync(join(cwd, 'data', 'tutti.db'));
    database.exec('UPDATE audit_entries SET is_allowed = 1 WHERE number = 3');
    database.close();
    expect(await tutti('audit', 'verify')).toMatchObject({
      exitCode: 1,
      stdout: 'The audit log was changed: entry 3 was changed.\n',
    });
  },
);

async function callOverPipe(cwd: string): Promise<void> {
  const child = startTutti(['mcp', '--all'], { cwd });
  const client = new LineClient(child);
  await client.initialize();
  const params = { name: 'code__format_code', arguments: format };
  expect((await client.ask('tools/call', params))?.result).toBeDefined();
  child.stdin.end();
  await once(child, 'close');
}

async function requestOverHttp(cwd: string): Promise<void> {
  const { child, url, headers } = await serveTutti({ cwd });
  const post = async (more: Record<string, string>): Promise<number> => {
    const request = { method: 'POST', body: '{}', headers: more };
    return (await fetch(`${url}/mcp?token=${canary}`, request)).status;
  };
  expect(await post({ authorization: `Bearer ${canary}` })).toBe(401);
  expect(await post({ ...headers, origin: 'https://evil.example' })).toBe(403);
  const called = await fetch(`${url}/api/v1/tools/code.format_code/call`, {
    method: 'POST',
    body: JSON.stringify({ arguments: format }),
    headers: { ...headers, 'content-type': 'application/json' },
  });
  expect(called.status).toBe(200);
  const metrics = await fetch(`${url}/metrics`, { headers });
  expect(await metrics.text()).toContain('tutti_face_calls_total{face="rest",outcome="ok"} 1');
  child.kill('SIGTERM');
  await once(child, 'close');
}
