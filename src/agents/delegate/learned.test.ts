import { expect, it } from 'vitest';
import { createMemoryChoiceLog } from '../../../testkit/agents/memory-choice-log.ts';
import { anAgency, type Behave } from '../../../testkit/agents/an-agency.ts';
import { anAgentFile } from '../../../testkit/agents/an-agent-file.ts';
import {
  agencyTools as tools,
  anAgent,
  codeOf,
  passing,
} from '../../../testkit/agents/an-agent.ts';
import { seeded } from '../../../testkit/agents/seeded.ts';
import { localCaller } from '../../contract/caller/index.ts';
import { chooseByHealth } from '../../../testkit/agents/choose-by-health.ts';
import { createAgentChoice } from '../create-agent-choice.ts';
import type { ModelRole } from '../../contract/model/index.ts';
import { classOf } from './task-class.ts';

const version = (name: string, number: string, tool: string) => ({
  ...anAgent(name, { a: tool }, [`version: ${number}`, `tools: [${tool}]`, 'criteria: [ran]']),
  path: `${name}-${number}.md`,
});

/** What was called, who could be chosen and what was refused, after the real chooser learned this. */
async function permittedAfter(
  seed: number,
  lessons: { good: string; count: number; mode?: 'share' | 'shadow' },
) {
  const files = [
    version('good', '1.0.0', 'exec.run_tests'),
    version('good', '2.0.0', 'exec.run_tests'),
    version('sly', '1.0.0', 'code.scan_secrets'),
    version('plain', '1.0.0', 'exec.run_tests'),
  ];
  const { chooser, versions } = createAgentChoice({
    log: createMemoryChoiceLog(),
    random: seeded(seed),
  });
  const candidates = ['good', 'sly', 'plain'].map((agent) => {
    return { agent, version: '1.0.0', health: 1, load: 0 };
  });
  const task = classOf({ task: 'Do the thing' }, { capability: 'things.do', project: 'shop' });
  for (let number = 0; number < lessons.count; number += 1) {
    const asked = { caller: localCaller, task, candidates, mayExplore: true };
    const { decisionId } = await chooser.choose(asked);
    for (const agent of ['good', 'sly', 'plain']) {
      const success = agent === lessons.good ? 1 : 0;
      const doneBy = { agent, version: '1.0.0' };
      await chooser.record(localCaller, { decisionId, success, evidence: 'person', doneBy });
    }
  }
  if (lessons.mode)
    await versions.start(localCaller, {
      agent: 'good',
      current: '1.0.0',
      candidate: '2.0.0',
      mode: lessons.mode,
    });
  const currentVersions = new Map([['good', ['1.0.0', '2.0.0']]]);
  const agency = anAgency({ files, tools, behave: passing, chooser, currentVersions });
  const caller = { id: 'local', scopes: ['exec.run_tests', 'agent.delegate'] };
  for (let turn = 0; turn < 4; turn += 1)
    await agency.delegate({ capability: 'things.do' }, { caller });
  const refused = await codeOf(agency.delegate({ agent: 'sly' }, { caller }));
  await agency.close();
  const { rows } = agency.store;
  return {
    refused,
    called: [...new Set(agency.calls.map(({ tool }) => tool))],
    candidates: rows.map(({ decision }) =>
      Object(decision)
        .order.map((one: { agent: string; version: string }) => `${one.agent}@${one.version}`)
        .toSorted(),
    )[0],
  };
}

it('what may be called is the same whatever the real chooser learned, with and without an experiment', async () => {
  const expected = {
    refused: 'agents.outside_limits',
    called: ['exec.run_tests'],
    candidates: ['good@1.0.0', 'good@2.0.0', 'plain@1.0.0'],
  };
  for (const mode of [undefined, 'share', 'shadow'] as const)
    for (const good of ['good', 'sly', 'plain', 'none'])
      for (const count of [0, 1, 300]) {
        const lessons = { good, count, ...(mode && { mode }) };
        expect(await permittedAfter(count + 1, lessons), JSON.stringify(lessons)).toEqual(expected);
      }
}, 120_000);

it('a shadow that hangs delays no answer, and ends with the process', async () => {
  const usual = chooseByHealth();
  const chooser = {
    ...usual,
    choose: async (request: Parameters<typeof usual.choose>[0]) => ({
      ...(await usual.choose(request)),
      shadow: { agent: 'good', version: '2.0.0', decisionId: 'shadow' },
    }),
  };
  const release: (() => void)[] = [];
  const behave: Behave = (tool) =>
    tool === 'code.scan_secrets'
      ? new Promise((resolve) => release.push(() => resolve({ findings_total: 0 })))
      : { passed: 1, failed: 0 };
  const files = [
    version('good', '1.0.0', 'exec.run_tests'),
    version('good', '2.0.0', 'code.scan_secrets'),
  ];
  const currentVersions = new Map([['good', ['1.0.0', '2.0.0']]]);
  const agency = anAgency({ files, tools, behave, chooser, currentVersions });
  const result = await agency.delegate({ agent: 'good' });
  expect(result).toMatchObject({ verdict: 'done', version: '1.0.0' });
  expect(agency.store.rows.map(({ verdict }) => verdict)).toEqual(['done', 'running']);
  const closed = agency.close();
  for (const one of release) one();
  await closed;
  expect(agency.recorded.map(({ decisionId }) => decisionId)).toContain('shadow');
  expect(agency.store.rows[1]).toMatchObject({ verdict: 'done' });
});

it('the model of an agent is the one of the role that its file names', async () => {
  const asked: ModelRole[] = [];
  const files = ['agent', 'code'].map((role) =>
    anAgentFile([`name: ${role}-user`, `model: ${role}`], { path: `${role}.md` }),
  );
  const loop = {
    isThere: async (role: ModelRole) => role === 'code',
    run: async ({ role }: { role: ModelRole }) => {
      asked.push(role);
      return { answer: 'Done.', isAnswered: true };
    },
  };
  const agency = anAgency({ files, tools, behave: passing, loop });
  await agency.delegate({ agent: 'code-user' });
  expect(asked).toEqual(['code']);
  expect(await codeOf(agency.delegate({ agent: 'agent-user' }))).toBe('agents.needs_model');
});

it.each([
  [
    'Fix the cart',
    { path: 'src/cart.ts', language: 'typescript' },
    { kind: 'fix', size: 'file', language: 'typescript' },
  ],
  ['Add a Go function', { path: 'cmd' }, { kind: 'write', size: 'folder', language: 'go' }],
  ['Review it', { path: '.' }, { kind: 'look', size: 'project' }],
  ['Whatever', {}, {}],
])('%s, with %j, is of the class %j', (task, inputs, expected) => {
  const known = { capability: 'a.b', project: undefined };
  expect(classOf({ task, inputs }, known)).toEqual({ capability: 'a.b', ...expected });
});
