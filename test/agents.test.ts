import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { bubblewrapMissing, whyNoBubblewrap } from '../testkit/sandbox/this-machine.ts';
import { aFolder, runTutti, startTutti, untilEnd } from './support/run-tutti.ts';

const patience = { timeout: 30_000, interval: 100 };

/** A folder with these files, and the program in it; what it prints is one JSON document. */
function aProject(files: Readonly<Record<string, string>>) {
  const cwd = aFolder();
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), content);
  }
  const tutti = async (...argv: readonly string[]) => {
    const ended = await runTutti([...argv, '--json'], { cwd });
    return { ...ended, json: JSON.parse(ended.stdout) };
  };
  return { cwd, tutti };
}

const agentFile = (steps: readonly object[], fields = '') => `---
name: writer
version: 1.0.0
description: Writes a line.
capabilities: [lines.write]
tools: [workspace.apply_changes, workspace.read_file, code.review_code]
criteria: [changed]
${fields}
procedures: ${JSON.stringify({ 'lines.write': { plan: { steps } } })}
---
`;
const append = {
  id: 'append',
  tool: 'workspace.apply_changes',
  args: { path: 'log.txt', append: 'one more line\n' },
};
const userFolder = '.config/tutti/agents';

describe('agents', { timeout: 120_000 }, () => {
  it.skipIf(bubblewrapMissing)(
    `test, scan, refactor and review in one trace without a model, and say that new code needs one${whyNoBubblewrap}`,
    async () => {
      const cwd = process.cwd();
      const home = aFolder();
      const env = { HOME: home };
      const ended = await runTutti(['run', 'examples/agents.plan.yaml', '--json', '--home', home], {
        cwd,
        env,
      });
      const run = JSON.parse(ended.stdout);
      expect(run.output).toMatchObject({
        verdicts: ['unproven', 'done', 'done', 'done', 'done'],
        tests: [{ text: '9 passed, 0 failed' }],
        written: expect.stringContaining('Writing new code needs a model'),
        changes: [],
      });
      const why = JSON.parse(
        (await runTutti(['runs', 'why', run.runId, '--json', '--home', home], { cwd, env })).stdout,
      );
      expect(why.decisions.map(({ agent }: { agent: string }) => agent).sort()).toEqual([
        'code-analysis',
        'code-generation',
        'refactoring',
        'security',
        'testing',
      ]);
      const traces = await Promise.all(
        why.decisions.map(
          async ({ runId }: { runId: string }) =>
            JSON.parse(
              (await runTutti(['runs', 'show', runId, '--json', '--home', home], { cwd, env }))
                .stdout,
            ).traceId,
        ),
      );
      expect(new Set([run.traceId, ...traces]).size).toBe(1);
    },
  );

  it('whose process was killed go on, and nothing that was done is done again', async () => {
    const pause = { id: 'pause', sleep: '2s', when: '${append.change_id} != ""' };
    const { cwd, tutti } = aProject({
      [`${userFolder}/writer.md`]: agentFile([append, pause]),
      'log.txt': '',
      'plan.yaml': 'steps: [{ id: write, agent: writer, task: Write a line }]',
    });
    const child = startTutti(['run', 'plan.yaml'], { cwd });
    const ended = untilEnd(child);
    await vi.waitFor(
      () => expect(readFileSync(join(cwd, 'log.txt'), 'utf8')).not.toBe(''),
      patience,
    );
    child.kill('SIGKILL');
    await ended;
    const { json: before } = await tutti('runs', 'list');
    const parent = before.find(({ name }: { name: string | null }) => name !== 'writer@1.0.0');
    const { json: run } = await tutti('runs', 'resume', parent.runId);
    expect(run.steps.write.output).toMatchObject({
      verdict: 'done',
      changes: [{ step: 'append' }],
    });
    expect(readFileSync(join(cwd, 'log.txt'), 'utf8')).toBe('one more line\n');
    expect((await tutti('runs', 'list')).json).toHaveLength(before.length);
    const { json: why } = await tutti('runs', 'why', parent.runId);
    expect(why.decisions).toMatchObject([{ agent: 'writer', verdict: 'done', attempt: 0 }]);
  });

  it('wait in their own run for the approval of a person', async () => {
    const asking = { ...append, approval: true };
    const { cwd, tutti } = aProject({
      [`${userFolder}/writer.md`]: agentFile([asking]),
      'log.txt': '',
      'plan.yaml': 'steps: [{ id: write, agent: writer, task: Write a line }]',
    });
    const ended = untilEnd(startTutti(['run', 'plan.yaml', '--json'], { cwd }));
    let waiting = '';
    await vi.waitFor(async () => {
      const { json } = await tutti('runs', 'list', '--status', 'waiting');
      waiting = json[0].runId;
    }, patience);
    expect((await tutti('runs', 'approve', waiting, '--detach')).exitCode).toBe(0);
    expect(JSON.parse((await ended).stdout).steps.write.output.verdict).toBe('done');
    expect(readFileSync(join(cwd, 'log.txt'), 'utf8')).toBe('one more line\n');
  });

  it('are cancelled with the run they work for', async () => {
    const { cwd, tutti } = aProject({
      [`${userFolder}/writer.md`]: agentFile([
        { id: 'pause', sleep: '5m' },
        { ...append, when: 'exists(${pause})' },
      ]),
      'plan.yaml': 'steps: [{ id: write, agent: writer, task: Write a line }]',
    });
    const ended = untilEnd(startTutti(['run', 'plan.yaml', '--json'], { cwd }));
    let parent = '';
    await vi.waitFor(async () => {
      const { json } = await tutti('runs', 'list');
      expect(json).toHaveLength(2);
      parent = json.find(({ name }: { name: string | null }) => name !== 'writer@1.0.0').runId;
    }, patience);
    await tutti('runs', 'cancel', parent);
    await ended;
    const { json } = await tutti('runs', 'list');
    expect(json.map(({ status }: { status: string }) => status)).toEqual([
      'cancelled',
      'cancelled',
    ]);
  });

  it('with wrong files are refused by file, line and remedy, and the others work', async () => {
    const { tutti } = aProject({
      [`${userFolder}/writer.md`]: agentFile([append]),
      [`${userFolder}/bad.md`]: agentFile([
        { id: 'a', tool: 'code.review_code', args: { paht: '.' } },
      ]).replace('name: writer', 'name: bad'),
      [`${userFolder}/worse.md`]: '---\nname: worse\ncolour: red\n---\n',
    });
    const { json } = await tutti('agents', 'list');
    expect(json.agents.map(({ name }: { name: string }) => name)).toContain('writer');
    const problems: { file: string; line: number; message: string }[] = json.problems;
    expect(
      problems.some(({ file, message }) => file.endsWith('bad.md') && message.includes('paht')),
    ).toBe(true);
    expect(
      problems.some(
        ({ file, line, message }) =>
          file.endsWith('worse.md') && line === 3 && message.includes('colour'),
      ),
    ).toBe(true);
  });

  it('are not added with a misspelled field, without their limits, or a second time', async () => {
    const fields = ['name: x', 'description: d', 'tools: [workspace.read_file]'];
    const file = (...more: readonly string[]) =>
      ['---', ...fields, ...more, '---', 'Read.'].join('\n');
    const { tutti } = aProject({
      'typo.md': file('version: 1.0.0', 'capabilites: [a.b]'),
      'limits.md': file('limits: { calls: 5 }'),
      'open.md': file('version: 1.0.0', 'tools: ['),
      'twice.md': file('version: 1.0.0', 'capabilities: [a.b]').replace('name: x', 'name: testing'),
    });
    for (const [name, message] of [
      ['typo.md', 'did you mean "capabilities"'],
      ['limits.md', '"version" is wrong'],
      ['open.md', 'No YAML'],
      ['twice.md', 'testing@1.0.0 already'],
    ] as const) {
      const { exitCode, json } = await tutti('agents', 'add', name);
      expect([exitCode, json.added]).toEqual([1, []]);
      expect(JSON.stringify(json.problems)).toContain(JSON.stringify(message).slice(1, -1));
    }
  });

  it('that ship with Tutti call no template, no empty result and no empty folder done', async () => {
    const { tutti } = aProject({
      'empty/notes.txt': 'nothing',
      'm.py': 'def f():\n    return 1\n',
    });
    const asked = [
      ['code.generate', {}],
      ['tests.write', { path: 'm.py' }],
      ['tests.run', { path: 'empty' }],
      ['code.review', { path: 'empty' }],
      ['code.measure', { path: 'empty' }],
      ['code.refactor', { path: 'empty' }],
      ['code.format', { path: 'empty' }],
      ['code.cleanup', { path: 'empty' }],
      ['security.scan', { path: 'empty' }],
      ['dependencies.scan', { path: 'empty' }],
      ['docs.find', { library: 'no-such-library' }],
      ['release.check', { path: 'empty' }],
      ['release.notes', {}],
    ] as const;
    for (const [capability, inputs] of asked) {
      const args = [
        `capability=${capability}`,
        'task=Count words',
        `inputs=${JSON.stringify(inputs)}`,
      ];
      const { json } = await tutti('call', 'agent.delegate', ...args);
      const { verdict, evidence, confidence = 0 } = Object(json.structuredContent ?? json);
      expect([capability, verdict]).not.toEqual([capability, 'done']);
      expect(JSON.stringify(evidence ?? [])).not.toContain('"verified"');
      expect(confidence).toBeLessThan(0.5);
    }
  });

  it('clean up one file as they do a folder', async () => {
    const { tutti } = aProject({ 'm.py': 'import os\n\n\ndef f(a, b):\n    return a + b\n' });
    for (const [capability, output] of [
      ['code.format', { changes_made: 0 }],
      ['code.refactor', { fixes: 1 }],
    ] as const) {
      const args = [`capability=${capability}`, 'task=tidy', 'inputs={"path":"m.py"}'];
      const { exitCode, json } = await tutti('call', 'agent.delegate', ...args);
      expect([exitCode, JSON.stringify(json)]).toEqual([0, expect.stringContaining('"done"')]);
      expect(JSON.stringify(json)).toContain(JSON.stringify(output).slice(1, -1));
    }
  });

  it('are taken from a folder of another assistant, each for itself, and switched by version', async () => {
    const foreign = (name: string) =>
      `---\nname: ${name}\ndescription: Reads.\ntools: Read\n---\nRead.\n`;
    const { cwd, tutti } = aProject({
      '.claude/agents/reader.md': foreign('reader'),
      '.claude/agents/other.md': foreign('other'),
      [`${userFolder}/reader.md`]: foreign('reader'),
    });
    const added = await tutti('agents', 'add', '.claude/agents');
    expect(added.exitCode).toBe(1);
    expect(added.json.added).toMatchObject([{ name: 'other' }]);
    expect(added.json.problems).toMatchObject([
      {
        file: join(cwd, '.claude/agents/reader.md'),
        message: expect.stringContaining('there already'),
      },
    ]);
    const gone = await tutti('agents', 'add', 'gone.md');
    expect([gone.exitCode, gone.json.error.code]).toEqual([2, 'cli.usage']);
    const unknown = await tutti('agents', 'disable', 'other@9.9.9');
    expect(unknown.json.error.message).toContain('other@1.0.0');
    expect((await tutti('agents', 'disable', 'other@1.0.0')).exitCode).toBe(0);
    expect((await tutti('agents', 'show', 'other@1.0.0')).json).toMatchObject({
      state: 'retired',
      reason: 'switched off',
    });
  });

  it('that work at once on one task all get the same version of its context, and no update is lost', async () => {
    const name = (index: number) => `writer${index}`;
    const steps = [
      {
        id: 'append',
        tool: 'workspace.apply_changes',
        args: { path: 'log.txt', append: '${input.task}: ${input.context}\n' },
      },
    ];
    const fields = { capabilities: ['lines.write'], tools: ['workspace.apply_changes'] };
    const input = { task: { type: 'string' }, context: { type: 'string' } };
    const indexes = [1, 2, 3, 4, 5];
    const agents = indexes.map((index) => {
      const plan = { input, steps };
      const front = { ...fields, criteria: ['changed'], procedures: { 'lines.write': { plan } } };
      const lines = Object.entries(front).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
      const head = `name: ${name(index)}\nversion: 1.0.0\ndescription: Writes.`;
      return [`${userFolder}/${name(index)}.md`, `---\n${head}\n${lines.join('\n')}\n---\n`];
    });
    const late = { id: 'late', agent: name(1), task: 'line of late', context: 'facts' };
    const plan = {
      steps: [
        ...indexes.map((index) => ({
          id: name(index),
          agent: name(index),
          task: `line of ${index}`,
          context: 'facts',
        })),
        { id: 'go', wait: { signal: 'go', timeoutMs: 60_000 } },
        { ...late, when: 'exists(${go})' },
      ],
    };
    const { cwd, tutti } = aProject({
      ...Object.fromEntries(agents),
      'log.txt': '',
      'plan.yaml': JSON.stringify(plan),
    });
    await tutti('contexts', 'create', 'facts', 'first');
    const { json: waiting } = await tutti('run', 'plan.yaml');
    const log = (): string => readFileSync(join(cwd, 'log.txt'), 'utf8');
    await tutti('contexts', 'create', 'facts', 'second');
    await tutti('runs', 'signal', waiting.runId, 'go');
    const { json: run } = await tutti('runs', 'show', waiting.runId);
    expect(run.status).toBe('succeeded');
    expect(log().match(/^line of (?:\d|late)/gm)?.length).toBe(indexes.length + 1);
    expect(new Set(log().match(/ctx-\w+/g)).size).toBe(1);
    expect(log()).not.toContain('second');
  });

  it('of two versions are compared by the tasks they really did', async () => {
    const read = { id: 'read', tool: 'workspace.read_file', args: { path: 'log.txt' } };
    const old = agentFile([read]).replace('criteria: [changed]', 'criteria: [ran]');
    const capable = { agent: { capability: 'lines.write' }, task: 'Write a line' };
    const plan = { steps: [1, 2, 3, 4, 5, 6].map((index) => ({ id: `s${index}`, ...capable })) };
    const readingTools = (text: string): string => text.replace('workspace.apply_changes, ', '');
    const { tutti } = aProject({
      [`${userFolder}/writer.md`]: readingTools(old),
      [`${userFolder}/writer-2.md`]: readingTools(old).replace('version: 1.0.0', 'version: 2.0.0'),
      'log.txt': 'one line\n',
      'plan.yaml': JSON.stringify(plan),
    });
    const pair = ['writer@1.0.0', 'writer@2.0.0'];
    await tutti('agents', 'compare', ...pair, '--start', 'shadow');
    expect((await tutti('run', 'plan.yaml')).json.status).toBe('succeeded');
    const { json: compared } = await tutti('agents', 'compare', ...pair);
    expect(compared).toMatchObject({
      outcomes: { current: 6, candidate: 6 },
      decision: 'continue',
    });
    const { json: status } = await tutti('agents', 'rollback', 'writer', 'no', 'need');
    expect(status).toMatchObject({ agent: 'writer', current: '1.0.0', experiment: null });
  });
});
