import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LLMock } from '@copilotkit/aimock';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSystem, type System } from '../src/compose/index.ts';
import type { AgentEvent, AskOutcome } from '../src/contract/agent/index.ts';
import { localCaller } from '../src/contract/caller/index.ts';
import type { ClientPort } from '../src/contract/server/index.ts';
import { bubblewrapMissing, whyNoBubblewrap } from '../testkit/sandbox/this-machine.ts';

const goodFibonacci = `def fibonacci(n: int) -> int:
    """The n-th Fibonacci number."""
    if n < 0:
        raise ValueError("n must not be negative")
    first, second = 0, 1
    for _ in range(n):
        first, second = second, first + second
    return first
`;
const fibonacciTests = `import pytest
from solution import fibonacci


def test_first():
    assert [fibonacci(n) for n in range(7)] == [0, 1, 1, 2, 3, 5, 8]


def test_later():
    assert fibonacci(30) == 832040


def test_negative():
    with pytest.raises(ValueError):
        fibonacci(-1)
`;
const users = `const users = new Map();

/** The status and the body of the answer to a request about users. */
export function handle(method, path, body) {
  const [first, id] = path.split('/').filter(Boolean);
  if (first !== 'users') return [404, null];
  if (id === undefined) {
    if (method === 'GET') return [200, [...users.values()]];
    if (method !== 'POST') return [405, null];
    const user = { ...body, id: String(users.size + 1) };
    users.set(user.id, user);
    return [201, user];
  }
  if (!users.has(id)) return [404, null];
  if (method === 'GET') return [200, users.get(id)];
  return [405, null];
}
`;
const userTests = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { handle } from './solution.mjs';

test('users are made and found', () => {
  const ada = { name: 'Ada', id: '1' };
  assert.deepEqual(handle('GET', '/users'), [200, []]);
  assert.deepEqual(handle('POST', '/users', { name: 'Ada' }), [201, ada]);
  assert.deepEqual(handle('GET', '/users'), [200, [ada]]);
  assert.deepEqual(handle('GET', '/users/1'), [200, ada]);
});

test('what is not there is not found', () => {
  assert.deepEqual(handle('GET', '/'), [404, null]);
  assert.deepEqual(handle('GET', '/users/9'), [404, null]);
  assert.deepEqual(handle('PUT', '/users'), [405, null]);
  assert.deepEqual(handle('PUT', '/users/1'), [405, null]);
});
`;

const generate = {
  id: 'code',
  tool: 'code.generate_code',
  args: { description: 'the n-th Fibonacci number', language: 'python' },
};
const rest = {
  name: 'User management',
  steps: [
    { ...generate, args: { description: 'REST handling of users', language: 'javascript' } },
    {
      id: 'tests',
      tool: 'code.generate_tests',
      args: { code: '${code.code}', language: 'javascript' },
    },
    {
      id: 'review',
      tool: 'code.review_code',
      args: { code: '${code.code}', language: 'javascript' },
    },
  ],
};
const testIt = {
  steps: [
    {
      id: 'tests',
      tool: 'generate_tests',
      args: { code: '${input.last_code}', language: 'python' },
    },
  ],
};

/** What the model says, by what it is asked for and what the request is about; lists are gone through. */
const script: readonly (readonly [kind: RegExp, about: RegExp, answers: readonly unknown[]])[] = [
  [
    /You read a message/,
    /message: Create a Python function/,
    [
      {
        primary_goal: 'Write fibonacci in Python',
        tools_needed: ['code.generate_code'],
        parameters: { language: 'python' },
        needs_clarification: false,
        unclear_aspects: [],
        confidence: 0.95,
      },
    ],
  ],
  [
    /You read a message/,
    /message: Now write tests/,
    [
      {
        primary_goal: 'Write tests for the Fibonacci function',
        tools_needed: ['generate_tests'],
        confidence: 0.9,
      },
    ],
  ],
  [
    /You read a message/,
    /message: Create a REST/,
    [
      {
        primary_goal: 'Write a REST endpoint for users with tests and a review',
        tools_needed: ['generate_code', 'generate_tests', 'review_code'],
        confidence: 0.9,
      },
    ],
  ],
  [
    /You turn a goal/,
    /message: Create a Python/,
    [
      '{"name": "Fibonacci", "steps": [{"id": "code", "tool": "code.gener',
      { steps: [{ id: 'code', tool: 'code.write_program', args: {} }] },
      '```json\n{"name": "Fibonacci", "steps": [' + JSON.stringify(generate) + ']}\n```',
    ],
  ],
  [/You turn a goal/, /message: Now write tests/, [testIt]],
  [/You turn a goal/, /message: Create a REST/, [rest]],
  [
    /You (?:write \w+ that|repair)/,
    /REST handling of users/,
    [{ code: users, explanation: 'Users by number.', dependencies: [], tests: userTests }],
  ],
  [
    /You (?:write \w+ that|repair)/,
    /the n-th Fibonacci number/,
    [
      {
        code: goodFibonacci.replace('0, 1\n', '1, 1\n'),
        explanation: 'Iterative.',
        dependencies: [],
        tests: fibonacciTests,
      },
      { code: goodFibonacci, explanation: 'Iterative.', dependencies: [], tests: fibonacciTests },
    ],
  ],
  [
    /You write tests/,
    /def fibonacci/,
    [{ test_code: fibonacciTests, test_cases: ['first', 'later', 'negative'], code_problems: [] }],
  ],
  [
    /You write tests/,
    /function handle/,
    [{ test_code: userTests, test_cases: ['life', 'missing'], code_problems: [] }],
  ],
  [
    /You read a message/,
    /message: hello/,
    [{ primary_goal: 'Greet', tools_needed: [], confidence: 1 }],
  ],
  [
    /You read a message/,
    /message: mail/,
    [{ primary_goal: 'Send a mail', tools_needed: ['desk.send_mail'], confidence: 1 }],
  ],
  [
    /You turn a goal/,
    /message: mail/,
    [
      {
        steps: [
          { id: 'send', tool: 'desk.send_mail', args: { to: 'ada@example.org', text: 'hi' } },
        ],
      },
    ],
  ],
  [/You are the assistant/, /./, ['Hello! Ask me for code.']],
  [/You tell a user/, /./, ['I did what you asked for. Next you could run it.']],
];

const model = new LLMock({ port: 0 });
const folder = mkdtempSync(join(tmpdir(), 'tutti-examples-'));
const sent = join(folder, 'sent.log');
const deskServer = fileURLToPath(new URL('support/servers/desk-server.ts', import.meta.url));
const seen: string[] = [];
const used = new Map<unknown, number>();
let system: System;

function answerTo({
  messages,
}: {
  readonly messages: readonly { role: string; content: unknown }[];
}) {
  const text = messages.map(({ content }) => JSON.stringify(content)).join('\n');
  const instructions = JSON.stringify(messages[0]?.content ?? '');
  seen.push(text);
  const found = script.find(([kind, about]) => kind.test(instructions) && about.test(text));
  if (!found) throw new Error(`no answer for: ${text.slice(0, 2_000)}`);
  const answers = found[2];
  const count = used.get(found) ?? 0;
  used.set(found, count + 1);
  const answer = answers[Math.min(count, answers.length - 1)];
  return { content: typeof answer === 'string' ? answer : JSON.stringify(answer) };
}

beforeAll(async () => {
  model.on({ predicate: () => true }, answerTo);
  await model.start();
  mkdirSync(join(folder, 'tutti'));
  const scripted = { kind: 'openai', url: `${model.url}/v1`, model: 'scripted', api_key: 'x' };
  const models = { providers: { test: scripted }, autodetect: false };
  writeFileSync(sent, '');
  const desk = { command: process.execPath, args: [deskServer, sent, sent] };
  // A few tools are enough, and take less time to be made findable.
  const tools = { enabled: ['generate_code', 'generate_tests', 'review_code', 'send_mail', 'ask'] };
  const settings = { models, tools, mcpServers: { desk } };
  writeFileSync(join(folder, 'tutti', 'config.yaml'), JSON.stringify(settings));
  system = await openSystem({
    flags: { home: join(folder, 'home') },
    env: { PATH: process.env['PATH'], XDG_CONFIG_HOME: folder },
    cwd: folder,
  });
}, 60_000);

afterAll(async () => {
  await system.close();
  await model.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function ask(message: string, session?: string) {
  const events: AgentEvent[] = [];
  const request = { caller: localCaller, message, ...(session !== undefined && { session }) };
  const { signal } = new AbortController();
  const onEvent = (event: AgentEvent): void => void events.push(event);
  return { outcome: await system.agent.ask(request, { signal, onEvent }), events };
}

function answerOf(outcome: AskOutcome): Extract<AskOutcome, { kind: 'answer' }> {
  if (outcome.kind !== 'answer') throw new Error(JSON.stringify(outcome));
  return outcome;
}

// The code is tried in the sandbox.
describe.skipIf(bubblewrapMissing)(
  `the three examples, against a model on a socket${whyNoBubblewrap}`,
  { timeout: 120_000 },
  () => {
    let session = '';

    // Code is tried in the sandbox.
    it('writes a Fibonacci function, past broken JSON, an unknown tool and code that fails its tests', async () => {
      const { outcome, events } = await ask(
        'Create a Python function for the n-th Fibonacci number',
      );
      const { runStatus, answer, runId = '', model: by } = answerOf(outcome);
      session = outcome.sessionId;
      expect({ runStatus, by }).toEqual({ runStatus: 'succeeded', by: 'test/scripted' });
      expect(answer).toMatch(/^I did what you asked for\.[^]*def fibonacci/);
      const { steps } = await system.workflows.show(localCaller, runId);
      expect(steps['code']?.output).toMatchObject({
        code: goodFibonacci,
        evidence: { attempts: 2 },
      });
      const told = events.map((event) => (event.kind === 'text' ? event.text : '')).join('');
      expect(told).toBe(answer);
      // The plan with the unknown tool went back to the model; it never became a run.
      expect(seen.some((text) => text.includes('which this request does not ask for'))).toBe(true);
      expect(await system.workflows.list(localCaller, { limit: 10 })).toHaveLength(1);
    });

    it('writes tests for it', async () => {
      const { outcome } = await ask('Now write tests for it', session);
      const { runStatus, answer, runId = '' } = answerOf(outcome);
      expect(runStatus).toBe('succeeded');
      expect(answer).toContain('def test_negative');
      const { input } = await system.workflows.show(localCaller, runId);
      expect(input).toEqual({ last_code: goodFibonacci });
    });

    it('writes a REST endpoint with tests and a review, three steps in one plan', async () => {
      const message = 'Create a REST endpoint for user management, with tests, and review it';
      const { outcome } = await ask(message, session);
      const { runStatus, answer, runId = '' } = answerOf(outcome);
      expect(runStatus).toBe('succeeded');
      expect(answer).toContain('function handle');
      const { steps } = await system.workflows.show(localCaller, runId);
      expect(steps['review']?.output).toHaveProperty('overall_score');
      const { turns } = await system.memory.sessions.show(localCaller, session);
      expect(turns.map(({ role }) => role)).toEqual([
        'user',
        'assistant',
        'user',
        'assistant',
        'user',
        'assistant',
      ]);
      const kinds = turns.at(-1)?.remembered.map(({ kind }) => kind);
      expect(kinds).toEqual(['code', 'tests', 'tests', 'review']);
    });

    it('answers over MCP, too', async () => {
      const context = {
        caller: localCaller,
        signal: new AbortController().signal,
        progress: () => {},
        meta: {},
      };
      const result = await system.catalogue.callTool(
        'agent__ask',
        { message: 'hello', session },
        context,
      );
      expect(result.structuredContent).toMatchObject({
        kind: 'answer',
        session,
        answer: 'Hello! Ask me for code.',
        model: 'test/scripted',
      });
    });
  },
);

describe('an effect asked for over MCP', { timeout: 60_000 }, () => {
  const message = 'mail "hi" to ada@example.org';

  /** A person who answers the questions of the agent, in this order. */
  async function mail(answers: readonly object[]) {
    const questions: unknown[] = [];
    const left = [...answers];
    const client: ClientPort = {
      id: 'editor',
      era: 'handshake',
      capabilities: { elicitation: {} },
      ask: async ({ params }) => {
        questions.push(params['message']);
        return { action: 'accept', content: left.shift() ?? {} };
      },
      notify: () => {},
    };
    const { signal } = new AbortController();
    const context = { caller: localCaller, signal, client, progress: () => {}, meta: {} };
    const result = await system.catalogue.callTool('agent__ask', { message }, context);
    return { result: result.structuredContent, questions };
  }

  it('happens once the person at the client has seen and approved it, in one question', async () => {
    const denied = await mail([{ approve: false }]);
    expect(denied.result).toMatchObject({ kind: 'answer', run_status: 'failed' });
    expect(readFileSync(sent, 'utf8')).toBe('');
    const { result, questions } = await mail([{ approve: true }]);
    expect(result).toMatchObject({ kind: 'answer', run_status: 'succeeded' });
    expect(questions).toEqual([
      expect.stringMatching(/It would call desk\.send_mail with:[^]*"ada@example\.org"/),
    ]);
    expect(readFileSync(sent, 'utf8')).toBe(
      '{"name":"send_mail","args":{"to":"ada@example.org","text":"hi"}}\n',
    );
  });
});
