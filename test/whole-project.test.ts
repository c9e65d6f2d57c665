import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSystem, type System } from '../src/compose/index.ts';
import type { AskOutcome, AskRequest } from '../src/contract/agent/index.ts';
import { localCaller } from '../src/contract/caller/index.ts';
import { bubblewrapMissing, whyNoBubblewrap } from '../testkit/sandbox/this-machine.ts';

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
  const danger = 'import subprocess\n\ndef run( x ):\n    subprocess.run(x, shell=True)\n';
  writeFileSync(join(folder, 'app/deep/config/danger.py'), danger);
  writeFileSync(join(folder, 'app/deep/test_deep.py'), 'def test_deep():\n    assert False\n');
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

/** Says these messages, one after the other, and gives the conversation. */
async function converse(messages: Conversation): Promise<string> {
  let session: string | undefined;
  for (const [message, more] of messages) {
    const outcome = await ask(message, { ...more, ...(session !== undefined && { session }) });
    session = outcome.sessionId;
  }
  if (session === undefined) throw new Error('no message');
  return session;
}

type Conversation = readonly (readonly [string, Partial<AskRequest>?])[];

const earlier: readonly Conversation[] = [
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
      const session = await converse(before);
      const outcome = await ask(request, { acceptPreview: true, session });
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

/** By request: words for it, and what only an answer for every folder says. */
const others = {
  review: {
    words: ['review the whole repo', 'review everything', 'please review this project'],
    shows: [/app\/deep\/config\/danger\.py/, /lib\/util\.py/],
  },
  security: {
    words: ['security scan of the codebase', 'scan the whole project for vulnerabilities'],
    shows: [/app\/deep\/config\/danger\.py/],
  },
  count: {
    words: [
      'count the lines of code in this project',
      'how many lines of code does the repo have?',
    ],
    // Of all six files together.
    shows: [/lines of code 13\b/],
  },
  format: {
    words: ['format everything', 'format all files in the repository'],
    shows: [/app\/deep\/config\/danger\.py/],
  },
  tests: {
    words: ['run all tests', 'run the tests of the whole project'],
    shows: [/\b1 failed\b/, /test_deep/],
  },
};

describe(`other requests for the whole project${whyNoBubblewrap}`, () => {
  const conversations = earlier.flatMap((before, at) =>
    Object.entries(others)
      .filter(([kind]) => kind !== 'tests' || !bubblewrapMissing)
      .map(([kind, { words, shows }]) => {
        return { at, before, kind, request: words[at % words.length] ?? kind, shows };
      }),
  );
  it.each(conversations)(
    'answer for all of it after conversation $at: $request',
    async ({ before, request, shows }) => {
      const session = await converse(before);
      const outcome = await ask(request, { acceptPreview: true, session });
      expect(outcome).toMatchObject({ kind: 'answer', plan: { steps: [{ args: { path: '.' } }] } });
      for (const shown of shows) expect(JSON.stringify(outcome)).toMatch(shown);
    },
    60_000,
  );
});
