import { describe, expect, it } from 'vitest';
import { anAgency, type Behave } from '../../../testkit/agents/an-agency.ts';
import {
  agencyTools as tools,
  anAgent,
  codeOf,
  crash,
  passing,
} from '../../../testkit/agents/an-agent.ts';
import { anAgentFile } from '../../../testkit/agents/an-agent-file.ts';
import { localCaller } from '../../contract/caller/index.ts';
import { idempotencyMetaKey } from '../../contract/tool/index.ts';
import { AppError } from '../../kernel/index.ts';
import type { ModelLoop } from './run-attempt.ts';

class WrongInputError extends AppError {
  readonly code = 'workflow.invalid_input';
}

describe('a task', () => {
  it('is done where our own tools show it, with the evidence', async () => {
    const agency = anAgency({
      files: [anAgent('good', { tests: 'exec.run_tests' })],
      tools,
      behave: passing,
    });
    expect(await agency.delegate({ agent: 'good' })).toMatchObject({
      verdict: 'done',
      evidence: [{ kind: 'tests', text: '3 passed, 0 failed' }],
      attempts: [{ agent: 'good', verdict: 'done' }],
    });
  });

  it('is refused with what was meant where no agent has the capability', async () => {
    const files = [anAgent('good', { tests: 'exec.run_tests' })];
    const agency = anAgency({ files, tools, behave: passing });
    await expect(agency.delegate({ capability: 'thing.do' })).rejects.toMatchObject({
      code: 'agents.no_candidates',
      message: expect.stringMatching(/capability "thing\.do"\. Did you mean "things\.do"\?/),
    });
  });

  it('sent again under its key is the same task, whatever became of it', async () => {
    const agency = anAgency({
      files: [anAgent('good', { tests: 'exec.run_tests' })],
      tools,
      behave: passing,
    });
    const meta = { [idempotencyMetaKey]: 'run-0:step:0' };
    const first = await agency.delegate({ agent: 'good' }, { meta });
    const [row] = agency.store.rows;
    expect(await agency.delegate({ agent: 'good' }, { meta })).toEqual(first);
    // As after the death of the process that asked: nothing of the end was written.
    if (row) agency.store.rows[0] = { ...row, verdict: 'running', result: null, endedAtMs: null };
    expect(await agency.delegate({ agent: 'good' }, { meta })).toEqual(first);
    expect(agency.calls).toHaveLength(1);
  });

  it('gets the context of its caller in one version', async () => {
    const seen: (string | undefined)[] = [];
    const loop: Partial<ModelLoop> = {
      isThere: async () => true,
      run: async ({ context }) => {
        seen.push(context);
        return { answer: 'Done.', isAnswered: true };
      },
    };
    const files = [1, 2, 3, 4, 5].map((number) =>
      anAgentFile([`name: a${number}`], { path: `${number}.md` }),
    );
    const agency = anAgency({ files, tools, behave: passing, loop });
    await Promise.all(
      files.map((_, index) => agency.delegate({ agent: `a${index + 1}`, context: 'notes' })),
    );
    expect(seen).toEqual(Array.from({ length: 5 }, () => 'pinned-notes'));
  });

  it('goes to the next agent when one fails, and to none once something was changed', async () => {
    const files = [
      anAgent('alpha', { a: 'code.review_code' }),
      anAgent('beta', { a: 'exec.run_tests' }),
    ];
    const behave: Behave = (tool) =>
      tool === 'code.review_code' ? crash(tool, {}, Object()) : { passed: 1, failed: 0 };
    const agency = anAgency({ files, tools, behave });
    expect(await agency.delegate({ capability: 'things.do' })).toMatchObject({
      verdict: 'done',
      agent: 'beta',
      attempts: [
        { agent: 'alpha', verdict: 'failed' },
        { agent: 'beta', verdict: 'done' },
      ],
    });
    const changing = [
      anAgent('alpha', { a: 'workspace.change_files', b: 'code.review_code' }),
      files[1],
    ].filter((file) => file !== undefined);
    const half: Behave = (tool) =>
      tool === 'workspace.change_files'
        ? { change_id: 'c1', files: [] }
        : behave(tool, {}, Object());
    const result = await anAgency({ files: changing, tools, behave: half }).delegate({
      capability: 'things.do',
    });
    expect(result).toMatchObject({ verdict: 'failed', agent: 'alpha', changes: [{ id: 'c1' }] });
    expect(result.attempts).toHaveLength(1);
  });

  it('may call what its caller may, whatever was learned', async () => {
    const files = [
      anAgent('good', { a: 'exec.run_tests' }),
      anAgent('other', { a: 'code.scan_secrets' }),
    ];
    const allowed = ['exec.run_tests', 'agent.delegate'];
    for (const turn of [1, 2, 3, 4]) {
      const agency = anAgency({ files, tools, behave: passing });
      for (const [index, agent] of ['good', 'other'].entries()) {
        for (let number = 0; number < turn * 3; number += 1) {
          const verdict = (number + index + turn) % 2 === 0 ? 'done' : 'failed';
          const row = {
            callerId: 'local',
            key: `${agent}${number}`,
            attempt: 0,
            root: 'x',
            parentRun: null,
            parentStep: null,
            agent,
            version: '1.0.0',
          };
          agency.store.rows.push({
            ...row,
            capability: 'things.do',
            task: '',
            decision: null,
            runId: null,
            sessionId: null,
            verdict,
            error: null,
            result: null,
            startedAtMs: 0,
            endedAtMs: 1,
          });
        }
      }
      const caller = { id: 'local', scopes: allowed };
      await agency.delegate({ capability: 'things.do' }, { caller });
      expect(agency.calls.every(({ tool }) => allowed.includes(tool))).toBe(true);
      expect(await codeOf(agency.delegate({ agent: 'other' }, { caller }))).toBe(
        'agents.outside_limits',
      );
      expect(agency.calls.map(({ tool }) => tool)).not.toContain('code.scan_secrets');
    }
  });

  it('that needs a tool outside of the limits of its caller says whose limits they are', async () => {
    const files = [
      anAgent('parent', { a: { agent: 'child' } }, ['tools: [agent.delegate]']),
      anAgent('child', { a: 'exec.run_tests' }),
    ];
    const agency = anAgency({ files, tools, behave: passing });
    expect(await agency.delegate({ agent: 'parent' })).toMatchObject({
      verdict: 'failed',
      summary: expect.stringMatching(
        /^The agent child did not begin: it needs exec\.run_tests, and the limits of agent "parent" do not include it/,
      ),
    });
    expect(agency.store.rows.map(({ agent }) => agent)).toEqual(['parent']);
  });

  it('that was given wrong inputs counts neither for nor against the agent', async () => {
    const agency = anAgency({
      files: [anAgent('good', { a: 'exec.run_tests' })],
      tools,
      behave: passing,
      startError: new WrongInputError('there is no input "pth"'),
    });
    expect(await agency.delegate({ agent: 'good', inputs: { pth: 'src' } })).toMatchObject({
      verdict: 'refused',
    });
    const { agents } = await agency.agents.list(localCaller);
    expect(agents).toMatchObject([{ health: 1, tasks: { done: 0, failed: 0 } }]);
    expect(agency.recorded).toEqual([]);
  });
});

describe('an agent that is named', () => {
  const both = ['1.0.0', '2.0.0'].map((version) => ({
    ...anAgent('good', { a: 'exec.run_tests' }, [`version: ${version}`]),
    path: `${version}.md`,
  }));

  it('shares its tasks with the version it is compared with, except where one is named', async () => {
    const compared = new Map([['good', ['1.0.0', '2.0.0']]]);
    const agency = anAgency({ files: both, tools, behave: passing, currentVersions: compared });
    await agency.delegate({ agent: 'good' });
    await agency.delegate({ agent: 'good', version: '2.0.0' });
    const orders = agency.store.rows.map(({ decision }) => Object(decision).order.length);
    expect(orders).toEqual([2, 1]);
  });

  it('works by the version that is ready where the one that does the tasks is off', async () => {
    const current = new Map([['good', ['2.0.0']]]);
    const agency = anAgency({ files: both, tools, behave: passing, currentVersions: current });
    await agency.agents.setEnabled(localCaller, 'good', { isEnabled: false, version: '2.0.0' });
    expect(await agency.delegate({ agent: 'good' })).toMatchObject({ version: '1.0.0' });
  });
});
