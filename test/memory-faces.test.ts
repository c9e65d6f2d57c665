import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { MemoryFound, MemoryItem } from '../src/contract/memory/index.ts';
import { aFolder, program, runTutti, serveTutti } from './support/run-tutti.ts';

const word = 'zqxlaunchword';

async function tutti(cwd: string, line: string, env = {}): Promise<string> {
  const argv = ['memory', ...line.split(' '), '--json'];
  const { stdout, stderr, exitCode } = await runTutti(argv, { cwd, env });
  expect(exitCode, stderr + stdout).toBe(0);
  return stdout;
}

/** Files below a folder that have the word, in any case. */
function filesWith(folder: string, text: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path, 'latin1').toLowerCase().includes(text));
}

/** A client of `tutti mcp` whose person answers questions so. */
async function aClient(cwd: string, answer: 'accept' | 'decline' | 'cannot'): Promise<Client> {
  const capabilities = answer === 'cannot' ? {} : { elicitation: {} };
  const client = new Client({ name: 'test', version: '1' }, { capabilities });
  if (answer !== 'cannot') {
    client.setRequestHandler('elicitation/create', async () =>
      answer === 'accept'
        ? { action: 'accept' as const, content: { accept: true } }
        : { action: 'decline' as const },
    );
  }
  const env = { PATH: process.env['PATH'] ?? '', HOME: cwd, TUTTI_HOME: join(cwd, 'data') };
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [program, 'mcp', '--only', 'memory'],
      cwd,
      env: { ...env, TUTTI_MODELS_AUTODETECT: 'false' },
    }),
  );
  onTestFinished(() => client.close());
  return client;
}

describe('the memory', { timeout: 120_000 }, () => {
  it('is one for terminal, MCP and REST, and what is forgotten is in no file', async () => {
    const cwd = aFolder();
    const { url, headers } = await serveTutti({ cwd });
    const api = async (method: string, path: string, body?: object): Promise<Response> =>
      fetch(`${url}/api/v1/memory${path}`, {
        method,
        headers: {
          ...headers,
          'content-type': 'application/json',
          'idempotency-key': path + method,
        },
        ...(body && { body: JSON.stringify(body) }),
      });
    const typed: MemoryItem = JSON.parse(await tutti(cwd, `remember The ${word} is blue`));
    const posted = await api('POST', '', { text: `Anna knows the ${word}`, kind: 'decision' });
    expect(posted.status, await posted.clone().text()).toBe(201);
    const sent: MemoryItem = Object(await posted.json());
    const client = await aClient(cwd, 'accept');
    const said = await client.callTool({
      name: 'remember',
      arguments: { text: `Bert forgot the ${word}` },
    });
    expect(said.structuredContent).toMatchObject({ item: { status: 'active' } });

    const found = await client.callTool({
      name: 'search',
      arguments: { query: `who has ${word}?` },
    });
    const { hits }: Partial<MemoryFound> = Object(found.structuredContent);
    expect(hits).toHaveLength(3);
    const rest = await api('GET', `/search?query=${word}`);
    expect(Object(await rest.json())).toMatchObject({ isAnswerable: true });
    const why = await api('GET', `/${typed.id}`);
    expect(Object(await why.json())).toMatchObject({
      because: expect.stringMatching(/^It was given at the terminal in /),
    });
    const server = { TUTTI_SERVER: url, TUTTI_TOKEN: headers.authorization.replace('Bearer ', '') };
    const remote: MemoryItem[] = JSON.parse(await tutti(aFolder(), 'list', server));
    expect(remote.map(({ id }) => id)).toContain(sent.id);

    expect((await api('DELETE', `/${sent.id}`)).status).toBe(200);
    const others = (hits ?? []).map(({ item }) => item.id).filter((id) => id !== sent.id);
    await client.callTool({ name: 'forget', arguments: { ids: others.slice(0, 1) } });
    await tutti(cwd, `forget ${others.slice(1).join(' ')} --erase`);
    expect(JSON.parse(await tutti(cwd, `search ${word}`))).toMatchObject({ hits: [] });
    expect(filesWith(join(cwd, 'data'), word)).toEqual([]);
  });

  it.each([
    `forget what I said about the ${word}`,
    `forget that The ${word.toUpperCase()} bills in March`,
  ])('keeps no words of what a conversation had forgotten: %s', async (message) => {
    const cwd = aFolder();
    const ask = async (words: string): Promise<string> =>
      (await runTutti(['ask', words], { cwd })).stdout;
    await ask(`remember that the ${word} bills in March`);
    expect(await ask(message)).toBe(`Forgotten: "the ${word} bills in March"\n`);
    await tutti(cwd, 'erase');
    expect(filesWith(join(cwd, 'data'), word)).toEqual([]);
  });

  it.each(['decline', 'cannot'] as const)(
    'holds what a client remembers as a candidate when the person behind it would %s',
    async (answer) => {
      const cwd = aFolder();
      const client = await aClient(cwd, answer);
      const said = await client.callTool({ name: 'remember', arguments: { text: 'Trust me' } });
      expect(said.structuredContent).toMatchObject({ item: { status: 'candidate' } });
      expect(JSON.parse(await tutti(cwd, 'list'))).toEqual([]);
      const [candidate]: MemoryItem[] = JSON.parse(await tutti(cwd, 'list --status candidate'));
      await tutti(cwd, `accept ${candidate?.id ?? ''}`);
      expect(JSON.parse(await tutti(cwd, 'list'))).toHaveLength(1);
    },
  );

  it('keeps the newest value of what has one, and says from where it is known', async () => {
    const cwd = aFolder();
    const session = ['--session', 'last'];
    const ask = async (message: string, ...more: string[]): Promise<string> =>
      (await runTutti(['ask', message, ...more], { cwd })).stdout;
    await ask('remember the staging port is 5433');
    const second = await ask('remember that the staging port is 6000', ...session);
    expect(second).toContain('That replaces: "the staging port is 5433"');
    const third = await ask('no, the staging port is 7000', ...session);
    expect(third).toContain('Corrected: "the staging port is 7000"');
    expect(third).toContain('That replaces: "the staging port is 6000"');
    await ask('actually the staging port is 8000 now', ...session);
    await ask('remember that Anna likes tea');
    expect(await ask('remember that Anna likes coffee')).not.toContain('replaces');
    const items: MemoryItem[] = JSON.parse(await tutti(cwd, 'list'));
    const current = items.filter(({ supersededBy }) => supersededBy === null);
    expect(current.map(({ text }) => text).toSorted()).toEqual([
      'Anna likes coffee',
      'Anna likes tea',
      'the staging port is 8000',
    ]);
    const answer = await runTutti(['ask', 'what is the staging port?', '--json'], { cwd });
    const { sessionId, answer: told } = JSON.parse(answer.stdout);
    expect(told).toContain('8000');
    expect(told).not.toContain('5433');
    const here = ['--session', sessionId];
    for (const why of ['why do you know that?', 'where did you get that from?']) {
      expect(await ask(why, ...here)).toMatch(
        /"the staging port is 8000": You said it in session \S+/,
      );
    }
    const typed: MemoryItem = JSON.parse(await tutti(cwd, 'remember the staging port is 9000'));
    expect(typed.supersedes).not.toBeNull();
  });

  it('lists and forgets preferences of a server, over REST and with --server', async () => {
    const { url, headers } = await serveTutti({ cwd: aFolder() });
    const env = { TUTTI_SERVER: url, TUTTI_TOKEN: headers.authorization.replace('Bearer ', '') };
    const run = (...argv: string[]) => runTutti(argv, { cwd: aFolder(), env });
    await run('ask', 'I always want tabs');
    expect((await run('preferences')).stdout).toContain('indent with tabs');
    const listed = await fetch(`${url}/api/v1/preferences`, { headers });
    const { items } = Object(await listed.json());
    expect(items).toMatchObject([{ text: 'indent with tabs', state: 'active' }]);
    expect((await run('preferences', 'forget', 'spaces')).stderr).toContain('unknown_preference');
    expect((await run('preferences', 'forget', 'tabs')).stdout).toBe(
      'Forgotten: indent with tabs\n',
    );
    expect((await run('preferences', '--json')).stdout).toBe('[]\n');
  });

  it('takes a forgotten message out of its session, the answer to it, the run and the database', async () => {
    const cwd = aFolder();
    const message = `format this ${word}:\n\`\`\`python\n${word}  =  1\n\`\`\``;
    await runTutti(['ask', message, '--yes'], { cwd });
    expect(filesWith(join(cwd, 'data'), word).length).toBeGreaterThan(1);
    const [turn]: MemoryItem[] = JSON.parse(await tutti(cwd, `list --kind turn`));
    await tutti(cwd, `forget ${turn?.id ?? ''} --erase`);
    expect(filesWith(join(cwd, 'data'), word)).toEqual([]);
    const doctor = await runTutti(['doctor'], { cwd });
    expect(doctor.stdout).toMatch(/ok +memory: 0 items = 0 in the index = 0 vectors/);
  });

  it('takes a forgotten message out of preferences, failures, feedback, contexts and artifacts', async () => {
    const cwd = aFolder();
    const run = async (...argv: string[]): Promise<string> => {
      const { stdout, stderr } = await runTutti(argv, { cwd });
      return stdout + stderr;
    };
    await run('ask', `format this:\n\`\`\`python\n${word} = (1\n\`\`\``, '--yes');
    await run('feedback', 'last', 'down', `${word} is not there`);
    await run('ask', `I always want tabs, also in ${word} code`);
    const code = `${word}  =  1\n`.repeat(300);
    const small = ['--set', 'workflow.inline_bytes=1024'];
    await run('ask', `format this:\n\`\`\`python\n${code}\`\`\``, '--yes', ...small);
    await run('contexts', 'create', 'talk', 'session:last');
    const shown = { why: 'syntax error', preferences: word, feedback: word, contexts: 'talk' };
    for (const [command, text] of Object.entries(shown)) expect(await run(command)).toContain(text);
    expect(filesWith(join(cwd, 'data', 'artifacts'), word)).not.toEqual([]);
    const turns: MemoryItem[] = JSON.parse(await tutti(cwd, 'list --kind turn'));
    const answer = await run('memory', 'forget', ...turns.map(({ id }) => id), '--erase');
    expect(answer).toContain('1 preference, 1 recorded failure, 1 reason of feedback');
    expect(answer).toContain('Contexts that had the words are gone: talk@1');
    for (const [command, text] of Object.entries(shown)) {
      expect(await run(command)).not.toContain(text);
    }
    expect(filesWith(join(cwd, 'data'), word)).toEqual([]);
  });
});
