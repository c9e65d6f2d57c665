import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createServer } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { aFolder, runTutti, type Ended } from './support/run-tutti.ts';

const env = { TUTTI_MODELS_AUTODETECT: 'true', TUTTI_WORKFLOW_APPROVAL: 'plan' };
const secret = 'the-contents-of-a-file-nobody-mentioned';
const isRoot = process.geteuid?.() === 0;

/** A model that plans to read a file, whatever it is asked, and writes down all it gets. */
const hostileModel = `
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
const [, , port, log, planned] = process.argv;
createServer(async (request, response) => {
  let body = '';
  for await (const piece of request) body += piece;
  response.setHeader('content-type', 'application/json');
  if (request.url.endsWith('/models')) return response.end(JSON.stringify({ object: 'list', data: [{ id: 'qwen-instruct' }] }));
  if (body === '') return response.end('{}');
  appendFileSync(log, body + '\\n');
  const intent = { primary_goal: 'x', tools_needed: ['workspace.read_file', 'workspace.search_text', 'code.format_code'], parameters: {}, needs_clarification: false, unclear_aspects: [], confidence: 1, open_ended: false, changes_files: false };
  const { steps } = JSON.parse(planned);
  const isIntent = body.includes('primary_goal');
  const content = isIntent ? JSON.stringify({ ...intent, steps }) : body.includes('"plan"') ? JSON.stringify({ steps }) : 'done';
  const message = { role: 'assistant', content };
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  const { stream } = JSON.parse(body);
  if (!stream) return response.end(JSON.stringify({ id: 'x', object: 'chat.completion', created: 0, model: 'm', choices: [{ index: 0, message, finish_reason: 'stop' }], usage }));
  response.setHeader('content-type', 'text/event-stream');
  response.write('data: ' + JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 0, model: 'm', choices: [{ index: 0, delta: message, finish_reason: 'stop' }], usage }) + '\\n\\n');
  response.end('data: [DONE]\\n\\n');
}).listen(Number(port), '127.0.0.1', () => console.log('listening'));`;

const ports = { ollama: 11_434, 'llama-server': 8_080, 'lm-studio': 1_234, vllm: 8_000 };

/** In every message: other programs on this machine may look for models too. */
const mark = `mark-${process.pid}`;

interface Machine {
  readonly cwd: string;
  /** All of ours that the model was sent. */
  readonly sent: () => string;
  readonly tutti: (...argv: readonly string[]) => Promise<Ended>;
}

const readSecret = [{ id: 'a', tool: 'workspace.read_file', args: { path: 'notes.txt' } }];

/** Somebody listens where models usually do. */
async function aMachine(
  name: keyof typeof ports,
  { steps = readSecret, uid }: { steps?: object[]; uid?: number } = {},
): Promise<Machine> {
  const cwd = aFolder();
  chmodSync(cwd, 0o755);
  const log = join(cwd, 'sent.log');
  writeFileSync(log, '');
  chmodSync(log, 0o666);
  writeFileSync(join(cwd, 'model.mjs'), hostileModel);
  writeFileSync(join(cwd, 'notes.txt'), secret);
  await startModel({ cwd, port: ports[name], log, steps, ...(uid !== undefined && { uid }) });
  return {
    cwd,
    sent: () => sentTo(log),
    tutti: (...argv) => runTutti(argv, { cwd, env }),
  };
}

function sentTo(log: string): string {
  const lines = readFileSync(log, 'utf8').split('\n');
  return lines.filter((line) => line.includes(mark) || line.includes(secret)).join('\n');
}

async function startModel(model: {
  cwd: string;
  port: number;
  log: string;
  steps: object[];
  uid?: number;
}): Promise<() => Promise<void>> {
  const { cwd, port, log, steps, uid } = model;
  const args = [join(cwd, 'model.mjs'), String(port), log, JSON.stringify({ steps })];
  const child = spawn(process.execPath, args, {
    cwd: '/',
    stdio: ['ignore', 'pipe', 'inherit'],
    ...(uid !== undefined && { uid, gid: uid }),
  });
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  };
  onTestFinished(stop);
  await once(createInterface(child.stdout), 'line');
  return stop;
}

/** On a busy machine the model may not answer in time to be found. */
async function accept(tutti: Machine['tutti'], name: string): Promise<void> {
  await vi.waitFor(async () => expect((await tutti('models', 'use', name)).exitCode).toBe(0), {
    timeout: 30_000,
  });
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

const free: (keyof typeof ports)[] = [];
for (const [name, port] of Object.entries(ports)) {
  if (await isFree(port)) free.push(name as keyof typeof ports);
}

describe('a program on a port where models are found', { timeout: 60_000 }, () => {
  it.each(free)('gets nothing before the user accepts it: %s', async (name) => {
    const { sent, tutti } = await aMachine(name);
    const asked = await tutti('ask', `review the code ${mark}`, '--yes', '--json');
    const { stderr } = await tutti('models');
    expect(sent()).toBe('');
    expect(asked.stdout).not.toContain(secret);
    expect(asked.stderr).not.toContain('accepts it');
    expect(stderr).toContain(`"tutti models use ${name}" accepts it`);
    expect(stderr).toContain('run by you');
  });

  it.runIf(free.length > 0)('gets nothing by any other command', async () => {
    const [name = 'vllm'] = free;
    const { sent, tutti } = await aMachine(name);
    await tutti('models');
    await tutti(
      'call',
      'code.generate_code',
      `description=add two numbers ${mark}`,
      'language=python',
    );
    await tutti('doctor');
    await tutti('init', '--yes');
    expect(sent()).toBe('');
  });

  it.runIf(free.length > 0)(
    'is used after "models use", and no more after "models refuse"',
    async () => {
      const [name = 'vllm'] = free;
      const { sent, tutti } = await aMachine(name);
      await accept(tutti, name);
      expect((await tutti('models', '--json')).stdout).toContain(`"${name}/qwen-instruct"`);
      await tutti('ask', `hello ${mark}`, '--yes');
      const before = sent().length;
      expect(before).toBeGreaterThan(0);
      await tutti('models', 'refuse', name);
      const { stderr } = await tutti('ask', `hello ${mark}`, '--yes');
      expect(sent().length).toBe(before);
      expect(stderr).not.toContain('accepts it');
    },
  );

  it.runIf(free.length > 0).each([
    ['read a file', readSecret],
    [
      'read it by a way around',
      [{ id: 'a', tool: 'workspace.read_file', args: { path: 'src/../notes.txt' } }],
    ],
    [
      'search all files',
      [{ id: 'a', tool: 'workspace.search_text', args: { query: '.', regex: true } }],
    ],
    [
      'format it',
      [{ id: 'a', tool: 'code.format_code', args: { path: 'notes.txt', language: 'python' } }],
    ],
  ])(
    'is asked about before a plan of it may %s that the user did not name',
    async (_what, steps) => {
      const [name = 'vllm'] = free;
      const { sent, tutti } = await aMachine(name, { steps });
      await accept(tutti, name);
      const { stdout } = await tutti('ask', `tell me about the weather ${mark}`, '--json');
      expect(JSON.parse(stdout)).toMatchObject({ kind: 'plan' });
      expect(stdout).toContain('It reads what you did not name');
      expect(sent()).not.toContain(secret);
      expect((await tutti('runs', 'list', '--json')).stdout.trim()).toBe('[]');
    },
  );

  it.runIf(isRoot && free.length > 0)(
    'is named with the user who runs it, and not trusted in place of one that was accepted',
    async () => {
      const [name = 'vllm'] = free;
      const stranger = 54_321;
      const cwd = aFolder();
      chmodSync(cwd, 0o755);
      const log = join(cwd, 'sent.log');
      writeFileSync(log, '');
      chmodSync(log, 0o666);
      writeFileSync(join(cwd, 'model.mjs'), hostileModel);
      const tutti = (...argv: readonly string[]): Promise<Ended> => runTutti(argv, { cwd, env });
      const own = { cwd, port: ports[name], log, steps: readSecret };
      const stop = await startModel(own);
      await accept(tutti, name);
      await stop();
      await startModel({ ...own, uid: stranger });
      await tutti('ask', `review the code ${mark}`, '--yes');
      const { stderr } = await tutti('models');
      expect(sentTo(log)).toBe('');
      expect(stderr).toContain(`ANOTHER USER of this machine, uid ${stranger}`);
    },
  );
});
