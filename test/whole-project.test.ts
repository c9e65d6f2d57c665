import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSystem, type System } from '../src/compose/index.ts';
import type { AskOutcome, AskRequest } from '../src/contract/agent/index.ts';
import { localCaller } from '../src/contract/caller/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'tutti-whole-project-'));
let system: System;

beforeAll(async () => {
  for (const path of ['app/deep/config', 'lib', 'tests'])
    mkdirSync(join(folder, path), { recursive: true });
  // A key that is in no folder any earlier message speaks of.
  const key = ['AKIA', 'Q3EGRIVE7HXUZ2LM'].join('');
  writeFileSync(join(folder, 'app/deep/config/prod.py'), `AWS_KEY = "${key}"\n`);
  writeFileSync(join(folder, 'lib/cart.py'), 'def total(a, b):\n    return a + b\n');
  writeFileSync(join(folder, 'lib/util.py'), 'import os\n\ndef name():\n    return 1\n');
  writeFileSync(join(folder, 'tests/test_cart.py'), 'def test_one():\n    assert True\n');
  system = await openSystem({
    flags: { home: join(folder, '.home') },
    env: { PATH: process.env['PATH'], HOME: folder, XDG_CONFIG_HOME: join(folder, '.config') },
    cwd: folder,
  });
}, 60_000);

afterAll(async () => {
  await system.close();
  rmSync(folder, { recursive: true, force: true });
});

function ask(message: string, more: Partial<AskRequest> = {}): Promise<AskOutcome> {
  const { signal } = new AbortController();
  return system.agent.ask({ caller: localCaller, message, ...more }, { signal });
}

const earlier: readonly (readonly [string, Partial<AskRequest>?])[][] = [
  [['format lib/cart.py', { acceptPreview: true }]],
  [
    [
      'review this',
      {
        acceptPreview: true,
        attachments: [{ name: 'x.py', content: 'def f():\n    return 1\n', language: 'python' }],
      },
    ],
  ],
  [['any secrets in lib/util.py?', { acceptPreview: true }]],
  [
    ['how complex is lib/cart.py?', { acceptPreview: true }],
    ['review it', { acceptPreview: true }],
  ],
  [['write tests for it']],
];
const requests = [
  'find secrets in this repo',
  'are there any API keys in this project?',
  'scan everything for leaked credentials',
  'any passwords in here?',
  'check the whole repository for secrets',
  'did I leave a token anywhere in the codebase?',
  'please look for hard-coded keys in all files',
  'now scan the project for secrets',
];

describe('a scan of the whole project', () => {
  const conversations = earlier.flatMap((before, at) =>
    requests.map((request) => ({ at, before, request })),
  );
  it.each(conversations)(
    'finds the key after conversation $at: $request',
    async ({ before, request }) => {
      let session: string | undefined;
      for (const [message, more] of before) {
        const outcome = await ask(message, { ...more, ...(session !== undefined && { session }) });
        session = outcome.sessionId;
      }
      const outcome = await ask(request, {
        acceptPreview: true,
        ...(session !== undefined && { session }),
      });
      expect(outcome).toMatchObject({
        kind: 'answer',
        runStatus: 'succeeded',
        plan: { steps: [{ args: { path: '.' } }] },
      });
      expect(JSON.stringify(outcome)).toContain('app/deep/config/prod.py');
    },
    30_000,
  );
});

describe('other requests for the whole project', () => {
  it.each([
    ['review the whole repo', 'review_code'],
    ['run all tests', 'run_tests'],
    ['count the lines of code in this project', 'analyze_complexity'],
    ['format everything', 'format_code'],
    ['security scan of the codebase', 'scan_security'],
  ])(
    '%s, whatever was spoken of before',
    async (request, tool) => {
      const { sessionId: session } = await ask('format lib/cart.py', { acceptPreview: true });
      expect(await ask(request, { session, planOnly: true })).toMatchObject({
        kind: 'plan',
        plan: { steps: [{ tool: expect.stringContaining(tool), args: { path: '.' } }] },
      });
    },
    30_000,
  );
});
