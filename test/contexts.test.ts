import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { localCaller } from '../src/contract/caller/index.ts';
import { canonicalText, contextId } from '../src/memory/contexts/read-import.ts';
import { aService, type AService, type Era } from '../testkit/access/a-service.ts';
import { aContexts } from '../testkit/memory/a-contexts.ts';
import { isProof } from '../testkit/sample.ts';
import { answers, startWireServer } from './support/models/wire-server.ts';
import { aFolder, runTutti, serveTutti } from './support/run-tutti.ts';

const secret = ['AKIA', 'Q7RZ2X5LK3W9PT4B'].join('');
const rule = `The code word is heron. aws_access_key_id = "${secret}"`;

/** A folder whose Tutti asks the model on that socket. */
function aFolderWithModel(url: string): string {
  const cwd = aFolder();
  mkdirSync(join(cwd, 'tutti'));
  const scripted = { kind: 'openai', url: `${url}/v1`, model: 'scripted', api_key: 'x' };
  const models = { providers: { test: scripted }, autodetect: false };
  writeFileSync(join(cwd, 'tutti', 'config.yaml'), JSON.stringify({ models }));
  return cwd;
}

async function tutti(cwd: string, ...argv: string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await runTutti(argv, { cwd, env: { XDG_CONFIG_HOME: cwd } });
  expect(exitCode, `${argv.join(' ')}: ${stderr}`).toBe(0);
  return stdout;
}

describe('a context', { timeout: 120_000 }, () => {
  it('gives a model the same bytes when a request is made again with its id, in another place', async () => {
    const intent = { primary_goal: 'Talk', tools_needed: [], parameters: {}, confidence: 0.9 };
    const clear = { ...intent, needs_clarification: false, unclear_aspects: [] };
    const server = await startWireServer((exchange) => {
      const isIntent = JSON.stringify(exchange.body).includes('primary_goal');
      answers(isIntent ? JSON.stringify(clear) : 'It says heron.')(exchange);
    });
    onTestFinished(() => server.close());
    const [here, there] = [aFolderWithModel(server.url), aFolderWithModel(server.url)];
    await tutti(here, 'contexts', 'create', 'notes', rule);
    writeFileSync(join(there, 'notes.jsonl'), await tutti(here, 'contexts', 'export', 'notes'));
    await tutti(there, 'contexts', 'import', 'notes.jsonl');
    const [{ id }] = JSON.parse(await tutti(there, 'contexts', '--json'));
    const asked: string[][] = [];
    for (const cwd of [here, here, there]) {
      const before = server.exchanges.length;
      const answer = await tutti(cwd, 'ask', 'what is the code word?', '--context', id);
      expect(answer).toContain('It says heron.');
      asked.push(server.exchanges.slice(before).map(({ body }) => JSON.stringify(body)));
    }
    expect(asked[1]).toEqual(asked[0]);
    expect(asked[2]).toEqual(asked[0]);
    const [understanding = '', answering = ''] = asked[0] ?? [];
    expect(answering).toContain('The code word is heron.');
    // What may be called is decided without it; secrets stay here.
    expect(understanding).not.toContain('heron');
    expect(asked.flat().filter((body) => body.includes(secret))).toEqual([]);
    const sessions = JSON.parse(await tutti(here, 'sessions', 'show', 'last', '--json'));
    expect(sessions.turns[0]).toMatchObject({ context: id });
  });

  it('can hold what is remembered, as it was, until it is forgotten', async () => {
    const cwd = aFolder();
    const remembered = await tutti(cwd, 'memory', 'remember', 'The build needs Node 24.', '--json');
    const { id } = JSON.parse(remembered);
    await tutti(cwd, 'contexts', 'create', 'facts', `memory:${id}`);
    await tutti(cwd, 'memory', 'correct', id, 'The build needs Node 26.');
    expect(await tutti(cwd, 'contexts', 'text', 'facts')).toContain('The build needs Node 24.');
    expect(await tutti(cwd, 'memory', 'forget', id)).toContain('facts');
    const { stderr } = await runTutti(['contexts', 'text', 'facts'], { cwd });
    expect(stderr).toContain('There is no context "facts"');
  });

  it('reaches a model in a run as the same bytes when the run is made again', async () => {
    const server = await startWireServer(answers('No.'));
    onTestFinished(() => server.close());
    const cwd = aFolderWithModel(server.url);
    await tutti(cwd, 'contexts', 'create', 'notes', rule);
    const args = { description: 'As told: ${input.context}', language: 'python' };
    const steps = [{ id: 'code', tool: 'code.generate_code', args }];
    const plan = { input: { context: { type: 'string' } }, steps };
    writeFileSync(join(cwd, 'plan.json'), JSON.stringify(plan));
    const asked: string[][] = [];
    for (const ref of ['notes', 'notes@1']) {
      const before = server.exchanges.length;
      // The model knows nothing: that the step fails does not matter here.
      const argv = ['run', 'plan.json', '--context', ref];
      await runTutti(argv, { cwd, env: { XDG_CONFIG_HOME: cwd } });
      asked.push(server.exchanges.slice(before).map(({ body }) => JSON.stringify(body)));
    }
    expect(asked[0]?.[0]).toContain('The code word is heron.');
    expect(asked[1]).toEqual(asked[0]);
  });

  it('is the input of a run, the same one when the run is made again', async () => {
    const cwd = aFolder();
    await tutti(cwd, 'contexts', 'create', 'notes', rule);
    const plan = {
      input: { context: { type: 'string' } },
      steps: [{ id: 'a', tool: 'standards.get_standard', args: { language: 'python' } }],
      output: '${input.context}',
    };
    writeFileSync(join(cwd, 'plan.json'), JSON.stringify(plan));
    const [{ id }] = JSON.parse(await tutti(cwd, 'contexts', '--json'));
    const run = () => tutti(cwd, 'run', 'plan.json', '--context', id);
    const first = await run();
    expect(first).toContain('The code word is heron.');
    await tutti(cwd, 'contexts', 'create', 'notes', 'Another rule.');
    expect(await run()).toBe(first);
    await tutti(cwd, 'contexts', 'create', 'outputs', 'run:last');
    expect(await tutti(cwd, 'contexts', 'show', 'outputs')).toContain('The code word is heron.');
    const unknown = await runTutti(['run', 'plan.json', '--context', 'absent'], { cwd });
    expect([unknown.exitCode, unknown.stderr]).toEqual([2, expect.stringContaining('absent')]);
    const undeclared = { steps: plan.steps };
    writeFileSync(join(cwd, 'other.json'), JSON.stringify(undeclared));
    const refused = await runTutti(['run', 'other.json', '--context', id], { cwd });
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('context')]);
  });

  it('has versions that are the same bytes after export and import, 10,000 in a proof', async () => {
    const count = isProof ? 10_000 : 2_000;
    const [here, there] = [aContexts(), aContexts()];
    let parent: string | null = null;
    const texts = Array.from({ length: count }, (_, index) => {
      const text = `Version ${index}: "quoted", \u2028, é, 👋, \u0000\ud800 ${'x'.repeat(index % 97)}`;
      const items = [{ kind: 'text', title: `t${index % 7}`, text } as const];
      const made: string = canonicalText({ version: 1, name: 'notes', parent, items });
      parent = contextId(made);
      return made;
    });
    await here.contexts.import(localCaller, texts);
    const exported = await exportAll(here.contexts);
    await there.contexts.import(localCaller, exported);
    const again = await exportAll(there.contexts);
    expect(again).toHaveLength(count);
    expect(Buffer.from(again.join('\n')).equals(Buffer.from(texts.join('\n')))).toBe(true);
    const { id, number } = await there.contexts.show(localCaller, 'notes');
    expect([id, number]).toEqual([parent, count]);
  });
});

async function exportAll(contexts: ReturnType<typeof aContexts>['contexts']): Promise<string[]> {
  const texts: string[] = [];
  let offset: number | null = 0;
  while (offset !== null) {
    const page = await contexts.export(localCaller, 'notes', { offset });
    texts.push(...page.texts);
    offset = page.nextOffset;
  }
  return texts;
}

describe('the context of another caller', { timeout: 60_000 }, () => {
  let service: AService;
  let tokens: { readonly anna: string; readonly bob: string; readonly vera: string };
  const unknown = `ctx-${'0'.repeat(64)}`;
  const eras: readonly Era[] = ['2025-11-25', '2026-07-28'];

  beforeAll(async () => {
    service = await aService();
    const key = (name: string, role: 'developer' | 'viewer') =>
      service.key({ name, tenant: 'acme', user: name, role });
    tokens = {
      anna: await key('anna', 'developer'),
      bob: await key('bob', 'developer'),
      vera: await key('vera', 'viewer'),
    };
  }, 60_000);
  afterAll(() => service.close());

  const rest = async (token: string, path: string, body?: object) => {
    const init = body && { method: 'POST', body: JSON.stringify(body) };
    const response = await service.client(token).fetch(`/api/v1/contexts${path}`, init);
    return { status: response.status, text: await response.text() };
  };
  const make = async (): Promise<string> => {
    const body = { name: 'secret', items: [{ title: 'plan', text: 'buy the company' }] };
    return JSON.parse((await rest(tokens.anna, '', body)).text).id;
  };

  it('is answered like one that does not exist, over REST and both eras of MCP', async () => {
    const id = await make();
    const paths = ['', '/versions', '/text', '/export', '/shares', '/diff?to=REF'];
    for (const path of paths) {
      const [foreign, missing] = [
        await rest(tokens.bob, `/${id}${path.replace('REF', id)}`),
        await rest(tokens.bob, `/${unknown}${path.replace('REF', unknown)}`),
      ];
      expect(foreign.status, path).toBe(404);
      expect(foreign.text.replaceAll(id, 'REF')).toBe(missing.text.replaceAll(unknown, 'REF'));
    }
    for (const era of eras) {
      const get = async (context: string, token: string) => {
        const params = { name: 'agent__get_context', arguments: { context } };
        const answer = await service.client(token).ask(era, 'tools/call', params);
        return answer.text.replaceAll(context, 'REF');
      };
      expect(await get(id, tokens.anna)).toContain('buy the company');
      expect(await get(id, tokens.bob)).toContain('memory.unknown_context');
      expect(await get(id, tokens.bob)).toBe(await get(unknown, tokens.bob));
    }
  });

  it('is read once it is shared, until that ends; a viewer shares and creates nothing', async () => {
    const id = await make();
    const shared = await rest(tokens.anna, '/secret/share', { caller: 'acme/bob' });
    expect(JSON.parse(shared.text)).toEqual({ sharedWith: ['acme/bob'] });
    expect((await rest(tokens.bob, `/${id}`)).text).toContain('buy the company');
    expect((await rest(tokens.vera, `/${id}`)).status).toBe(404);
    expect((await rest(tokens.bob, `/${id}/share`, { caller: 'acme/vera' })).status).toBe(404);
    await rest(tokens.anna, '/secret/unshare', { caller: 'acme/bob' });
    expect((await rest(tokens.bob, `/${id}`)).status).toBe(404);
    expect((await rest(tokens.vera, '', { name: 'x', items: [{ text: 'y' }] })).status).toBe(403);
    const outside = await rest(tokens.anna, '/secret/share', { caller: 'other/sam' });
    expect([outside.status, outside.text]).toEqual([422, expect.stringContaining('share_refused')]);
  });
});

describe('what a person decides', { timeout: 120_000 }, () => {
  it('counts as feedback by itself: an approved effect, a denied one, an undone change', async () => {
    const cwd = aFolder();
    const step = { id: 'save', tool: 'workspace.apply_changes', approval: true };
    const plan = { name: 'save', steps: [{ ...step, args: { path: 'a.txt', content: 'two\n' } }] };
    const gate = { name: 'gate', steps: [{ id: 'wait', approval: { message: 'Go on?' } }] };
    writeFileSync(join(cwd, 'a.txt'), 'one\n');
    const decide = async (document: object, verdict: 'approve' | 'deny'): Promise<void> => {
      writeFileSync(join(cwd, 'plan.json'), JSON.stringify(document));
      const waiting = await runTutti(['run', 'plan.json'], { cwd });
      const [, runId = ''] = /^Run (\S+)/m.exec(waiting.stderr) ?? [];
      await runTutti(['runs', verdict, runId], { cwd });
    };
    await decide(plan, 'deny');
    await decide(plan, 'approve');
    await decide(gate, 'approve');
    expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('two\n');
    await tutti(cwd, 'call', 'workspace.undo_changes');
    await tutti(cwd, 'feedback', 'last', 'up', 'as it should be');
    const given = JSON.parse(await tutti(cwd, 'feedback', '--json'));
    const kinds = given.map(({ kind, isGood }: { kind: string; isGood: boolean }) => [
      kind,
      isGood,
    ]);
    expect(kinds).toEqual([
      ['opinion', true],
      ['change', false],
      ['approval', true],
      ['approval', false],
    ]);
    const learned = JSON.parse(await tutti(cwd, 'learned', '--weeks', '1', '--json'));
    expect(learned.weeks).toMatchObject([
      { runs: 3, failures: 0, recoveries: 0, up: 1, acceptedChanges: 1, rejectedChanges: 2 },
    ]);
  });
});

describe('tutti --server', { timeout: 120_000 }, () => {
  it('keeps contexts and feedback with the server', async () => {
    const { url, headers } = await serveTutti({ cwd: aFolder() });
    const cwd = aFolder();
    const env = { TUTTI_SERVER: url, TUTTI_TOKEN: headers.authorization.replace('Bearer ', '') };
    const at = async (...argv: string[]): Promise<string> => {
      const { exitCode, stdout, stderr } = await runTutti(argv, { cwd, env });
      expect(exitCode, `${argv.join(' ')}: ${stderr}`).toBe(0);
      return stdout;
    };
    writeFileSync(join(cwd, 'style.md'), 'Tabs.\n');
    await at('contexts', 'create', 'style', '@style.md');
    await at('contexts', 'create', 'style', 'Be short.', '--add');
    const lines = await at('contexts', 'export', 'style');
    expect(lines.trim().split('\n')).toHaveLength(2);
    expect(await at('contexts', 'diff', 'style@1', 'style')).toContain('+Be short.');
    await at('contexts', 'share', 'style', 'acme/bob');
    expect(await at('contexts', 'remove', 'style')).toContain('2 versions removed');
    writeFileSync(join(cwd, 'style.jsonl'), lines);
    expect(await at('contexts', 'import', 'style.jsonl')).toContain('2 versions imported');
    expect(await at('contexts', 'export', 'style')).toBe(lines);
    expect(await at('contexts', 'text', 'style')).toContain('Tabs.');
    const plan = { input: { context: { type: 'string' } }, steps: [], output: '${input.context}' };
    const steps = [{ id: 'a', tool: 'standards.get_standard', args: { language: 'go' } }];
    writeFileSync(join(cwd, 'plan.json'), JSON.stringify({ ...plan, steps }));
    expect(await at('run', 'plan.json', '--context', 'style')).toContain('Be short.');
    await at('feedback', 'last', 'down', 'too short');
    expect(await at('feedback')).toContain('too short');
    expect(await at('learned')).toMatch(/^week +runs/);
  });
});
