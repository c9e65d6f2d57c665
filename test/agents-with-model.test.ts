import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { bubblewrapMissing, whyNoBubblewrap } from '../testkit/sandbox/this-machine.ts';
import { cartProject, fixedCart } from './support/agent-loop/cart-project.ts';
import {
  finish,
  LoopModel,
  nextRound,
  openEnded,
  type LoopScript,
} from './support/agent-loop/loop-model.ts';
import { aFolder, runTutti, startTutti, untilEnd } from './support/run-tutti.ts';

const model = new LoopModel();
beforeAll(() => model.start());
afterAll(() => model.stop());

/** An agent without a procedure: it works with the model. */
const agentFile = (name: string, fields: Readonly<Record<string, unknown>>): string => {
  const front = { name, version: '1.0.0', description: `Does ${name}.`, ...fields };
  const lines = Object.entries(front).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  return `---\n${lines.join('\n')}\n---\nI am ${name}.\n`;
};

type Agents = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** A project, the agents of its user, and the program with the model on the socket. */
function aProject(agents: Agents, files: Readonly<Record<string, string>> = cartProject) {
  const cwd = aFolder();
  const scripted = {
    kind: 'openai',
    url: model.url,
    model: 'scripted',
    api_key: 'x',
    input_price: 10,
    output_price: 10,
  };
  const settings = { models: { providers: { test: scripted }, autodetect: false } };
  const all: Record<string, string> = {
    ...files,
    '.config/tutti/config.yaml': JSON.stringify(settings),
  };
  for (const [name, fields] of Object.entries(agents))
    all[`.config/tutti/agents/${name}.md`] = agentFile(name, fields);
  for (const [path, content] of Object.entries(all)) {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    writeFileSync(join(cwd, path), content);
  }
  const tutti = async (...argv: readonly string[]) => {
    const ended = await runTutti([...argv, '--json'], { cwd });
    try {
      return { ...ended, json: JSON.parse(ended.stdout) };
    } catch {
      throw new Error(`no JSON: ${ended.stdout} ${ended.stderr}`);
    }
  };
  return { cwd, tutti };
}

/** What the model says to each agent. */
function playFor(scripts: Readonly<Record<string, LoopScript>>): void {
  model.play((prompt) => {
    const name = Object.keys(scripts).find((one) => prompt.includes(`I am ${one}.`));
    return name === undefined ? undefined : scripts[name];
  });
}

const test = { id: 'test', tool: 'exec.run_tests', args: { path: '.' } };
const write = {
  id: 'write',
  tool: 'workspace.apply_changes',
  args: { path: 'cart.mjs', content: fixedCart },
};

const scan = { id: 'scan', tool: 'code.scan_security', args: { path: '.' } };
const refactor = { id: 'refactor', tool: 'code.refactor_code', args: { path: '.' } };
const review = { id: 'review', tool: 'code.review_code', args: { path: '.' } };

const steps = { generate: write, test, scan, refactor, review };
const crew: Agents = {
  generate: {
    capabilities: ['code.mend'],
    tools: ['workspace.apply_changes', 'exec.run_tests'],
    criteria: ['changed', 'tests_pass'],
  },
  test: { capabilities: ['tests.look'], tools: ['exec.run_tests'], criteria: ['tests_pass'] },
  scan: { capabilities: ['code.scan'], tools: ['code.scan_security'], criteria: ['no_findings'] },
  refactor: { capabilities: ['code.trim'], tools: ['code.refactor_code'], criteria: ['ran'] },
  review: {
    capabilities: ['code.judge'],
    tools: ['code.review_code'],
    criteria: ['findings_counted'],
  },
};

/** A plan in which each works once the one before it is done. */
function inTurn(names: readonly string[]): string {
  const plan = names.map((name, index) => ({
    id: name,
    agent: name,
    task: `Please work on cart.mjs as ${name}`,
    ...(index > 0 && { when: `\${${names[index - 1]}.verdict} == "done"` }),
  }));
  return JSON.stringify({ steps: plan });
}

describe.skipIf(bubblewrapMissing)(
  `agents with a model${whyNoBubblewrap}`,
  { timeout: 120_000 },
  () => {
    it('generate, test, scan, refactor and review in one trace, each proven, going on after an approval', async () => {
      const { cwd, tutti } = aProject(crew);
      const looks = { generate: [nextRound(test), finish('Mended.')] };
      playFor(
        Object.fromEntries(
          Object.entries(steps).map(([name, step]) => [
            name,
            {
              intent: openEnded('Work on the cart', [step]),
              looks: Object(looks)[name] ?? [finish('Over.')],
            },
          ]),
        ),
      );
      const names = Object.keys(steps);
      writeFileSync(join(cwd, 'plan.yaml'), inTurn(names));
      const ended = untilEnd(startTutti(['run', 'plan.yaml', '--json'], { cwd }));
      let waiting = '';
      await vi.waitFor(
        async () => {
          const { json } = await tutti('runs', 'list', '--status', 'waiting');
          waiting = json[0].runId;
        },
        { timeout: 40_000, interval: 200 },
      );
      await tutti('runs', 'approve', waiting, '--detach');
      const run = JSON.parse((await ended).stdout);
      expect(names.map((name) => run.steps[name].output?.verdict)).toEqual(names.map(() => 'done'));
      expect(run.steps.generate.output.evidence).toMatchObject([
        { kind: 'change' },
        { kind: 'tests', text: '3 passed, 0 failed' },
      ]);
      expect(readFileSync(join(cwd, 'cart.mjs'), 'utf8')).toBe(fixedCart);
      const { json: why } = await tutti('runs', 'why', run.runId);
      const traces = await Promise.all(
        why.decisions.map(
          async ({ runId }: { runId: string }) => (await tutti('runs', 'show', runId)).json.traceId,
        ),
      );
      expect(traces).toHaveLength(names.length);
      expect(new Set([run.traceId, ...traces]).size).toBe(1);
    });

    it('build what the example asks for: written after an approval, then tested, scanned, refactored and reviewed', async () => {
      const examples = join(process.cwd(), 'examples');
      const { cwd, tutti } = aProject({}, { 'notes.txt': '' });
      cpSync(join(examples, 'sample-python'), join(cwd, 'examples/sample-python'), {
        recursive: true,
      });
      cpSync(join(examples, 'agents.plan.yaml'), join(cwd, 'agents.plan.yaml'));
      model.play(() => undefined);
      model.code = {
        code: 'def count_words(text: str) -> int:\n    # Words are what white space separates.\n    return len(text.split())\n',
        explanation: 'Splits at white space.',
        dependencies: [],
        tests:
          'from solution import count_words\n\n\ndef test_counts_words() -> None:\n    assert count_words("one two") == 2\n    assert count_words("") == 0\n    assert count_words(" a  b c ") == 3\n',
      };
      const ended = untilEnd(startTutti(['run', 'agents.plan.yaml', '--json'], { cwd }));
      let waiting = '';
      await vi.waitFor(
        async () => {
          const { json } = await tutti('runs', 'list', '--status', 'waiting');
          waiting = json[0].runId;
        },
        { timeout: 60_000, interval: 300 },
      );
      await tutti('runs', 'approve', waiting, '--detach');
      const run = JSON.parse((await ended).stdout);
      const { written, tested, reviewed } = run.steps;
      const { level } = written.output.output;
      expect(['self_tested', 'verified']).toContain(level);
      expect(written.output).toMatchObject({
        verdict: level === 'verified' ? 'done' : 'unproven',
        changes: [{ files: expect.arrayContaining(['examples/sample-python/word_count.py']) }],
      });
      expect(written.output.evidence[0].kind).toBe(
        level === 'verified' ? 'verified' : 'unverified',
      );
      expect(tested.output.evidence).toMatchObject([{ text: '10 passed, 0 failed' }]);
      expect(run.output.verdicts.slice(1)).toEqual(['done', 'done', 'done', 'done']);
      expect(reviewed.output.verdict).toBe('done');
      const { json: why } = await tutti('runs', 'why', run.runId);
      const shown = why.decisions.map(({ runId }: { runId: string }) =>
        tutti('runs', 'show', runId),
      );
      const traces = (await Promise.all(shown)).map(({ json }) => json.traceId);
      expect(new Set([run.traceId, ...traces]).size).toBe(1);
    });

    it('share the limits of the agent that began them, and so do models that tools ask', async () => {
      const delegate = { agent: 'looker', task: 'Please find out what cart.mjs does, as looker' };
      const steps = [1, 2].map((number) => ({ id: `s${number}`, ...delegate }));
      const code = { description: 'Add two numbers', language: 'python' };
      const writing = { steps: [{ id: 'code', tool: 'code.generate_code', args: code }] };
      const { cwd, tutti } = aProject({
        lead: {
          capabilities: ['code.lead'],
          tools: ['agent.delegate', 'workspace.read_file'],
          limits: { calls: 4 },
          procedures: { 'code.lead': { plan: { steps } } },
        },
        looker: { capabilities: ['code.look'], tools: ['workspace.read_file'] },
        writer: {
          capabilities: ['code.pen'],
          tools: ['code.generate_code'],
          limits: { tokens: 50 },
          procedures: { 'code.pen': { plan: writing } },
        },
      });
      const read = (path: string) => ({ id: 'read', tool: 'workspace.read_file', args: { path } });
      const looks = ['report.mjs', 'package.json'].map((path) => nextRound(read(path)));
      const intent = openEnded('Look', [read('cart.mjs')]);
      playFor({ looker: { intent, looks: [...looks, finish('Over.')] } });
      const plan = ['lead', 'writer'].map((name) => {
        return { id: name, agent: name, task: 'Do it', onFailure: 'skip' };
      });
      writeFileSync(join(cwd, 'plan.yaml'), JSON.stringify({ steps: plan }));
      const { json: all } = await tutti('run', 'plan.yaml');
      const { json: why } = await tutti('runs', 'why', all.runId);
      const errors = why.decisions.map(({ agent, error }: Record<string, string>) => [
        agent,
        error,
      ]);
      expect(Object.fromEntries(errors)).toEqual({
        lead: expect.stringContaining('limit of calls'),
        writer: expect.stringContaining('may use 50 tokens'),
      });
    });

    it('that lie, ask for more, repeat themselves, never end or spend end within their limits', async () => {
      const looker = { capabilities: ['code.look'], tools: ['workspace.read_file'] };
      const { cwd, tutti } = aProject({
        liar: { capabilities: ['tests.lie'], tools: ['exec.run_tests'], criteria: ['tests_pass'] },
        greedy: looker,
        repeater: looker,
        endless: { ...looker, limits: { rounds: 3 } },
        talker: { ...looker, limits: { tokens: 2500 } },
        spender: { ...looker, limits: { money_usd: 0.01 } },
      });
      const read = (path: string) => ({ id: 'read', tool: 'workspace.read_file', args: { path } });
      const files = ['cart.mjs', 'report.mjs', 'package.json', 'cart.test.mjs'];
      const reading = (looks: LoopScript['looks']): LoopScript => ({
        intent: openEnded('Look', [read('cart.mjs')]),
        looks,
      });
      const everyFile = files.slice(1).map((path) => nextRound(read(path)));
      const run = { id: 'run', tool: 'exec.run_command', args: { command: 'ls' } };
      playFor({
        liar: { intent: openEnded('Test', [test]), looks: [finish('All tests pass. Done!')] },
        greedy: reading([nextRound(run)]),
        repeater: reading([nextRound(read('cart.mjs'))]),
        endless: reading(everyFile),
        talker: reading(everyFile),
        spender: reading(everyFile),
      });
      const names = ['liar', 'greedy', 'repeater', 'endless', 'talker', 'spender'];
      const plan = names.map((name) => ({
        id: name,
        agent: name,
        task: `Please find out what cart.mjs does, as ${name}`,
        onFailure: 'skip',
      }));
      writeFileSync(join(cwd, 'plan.yaml'), JSON.stringify({ steps: plan }));
      const { json: all } = await tutti('run', 'plan.yaml');
      const { json: why } = await tutti('runs', 'why', all.runId);
      const ends = why.decisions.map(({ agent, verdict, error }: Record<string, string | null>) => [
        agent,
        verdict,
        error?.split('\n', 1)[0] ?? null,
      ]);
      expect(
        Object.fromEntries(ends.map(([agent, ...end]: string[]) => [agent, end])),
      ).toMatchObject({
        liar: ['unproven', null],
        greedy: ['failed', expect.stringContaining('calls "exec.run_command"')],
        repeater: ['failed', expect.stringContaining('repeated earlier ones')],
        endless: ['failed', expect.stringContaining('3 rounds were run')],
        talker: ['failed', expect.stringContaining('limit of tokens')],
        spender: ['failed', expect.stringContaining('limit of money')],
      });
      expect(all.steps.liar.output.missing).toEqual(['tests: 2 failed']);
    });
  },
);
