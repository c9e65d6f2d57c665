/** `tutti` in its own process on an agent that is scripted: the words of a message say what happens. */
import { main } from '../../../src/cli/main.ts';
import {
  aPlan,
  aPreview,
  anAnswer,
  createFakeAgent,
  aWaitingRun,
} from '../../../testkit/cli/fake-agent.ts';
import { createFakeSystem } from '../../../testkit/cli/fake-system.ts';
import {
  aLongApproval,
  createFakeWorkflows,
  aRun,
  anApproval,
} from '../../../testkit/cli/fake-workflows.ts';
import type { Agent } from '../../../src/contract/agent/index.ts';
import { planSchema } from '../../../src/contract/plan/index.ts';

const { step, tool, arguments: args } = anApproval;
const anEffect = planSchema.parse({ steps: [{ id: step, tool, args, approval: true }] });
const underWay = { ...aRun, status: 'running', endedAt: null } as const;

/** The second plan makes the call that the run of "approval" waits with. */
const aChoice = {
  ...aPreview,
  candidates: [aPlan, anEffect].map((plan) => ({ plan, why: '', confidence: 0.5 })),
};

/** Asked `wait` it runs until it is cancelled; the other words are below. */
const agent: Agent = {
  ask: async (request, options) => {
    const { message } = request;
    options.onEvent?.({ kind: 'session', sessionId: 'session-1' });
    if (message === 'yes' || message === 'y') return anAnswer('Ran 1 step');
    if (message === 'n') return anAnswer('Nothing was run');
    if (message === 'continue') return anAnswer('Went on with run-1');
    if (message === 'wait') {
      const run = { kind: 'run', run: underWay } as const;
      return createFakeAgent([{ events: [run], isEndless: true }]).agent.ask(request, options);
    }
    if (message === 'plan') return aPreview;
    if (message === 'choice') return aChoice;
    if (message === 'approval' || message === '2') return aWaitingRun;
    if (message === 'fail') throw new Error('it rained');
    const attached = (request.attachments ?? []).map(({ name }) => ` +${name}`).join('');
    return anAnswer(`You said ${JSON.stringify(message)}${attached}`);
  },
};

const isLong = process.env['SCRIPTED_APPROVAL'] === 'long';
const { workflows } = createFakeWorkflows([
  { ...aRun, status: 'waiting', endedAt: null, waitingFor: [isLong ? aLongApproval : anApproval] },
  aRun,
]);
const compose = await createFakeSystem().compose();
const openSystem: typeof compose.openSystem = async (options) => {
  const system = await compose.openSystem(options);
  const home = { key: 'home', value: process.env['TUTTI_HOME'], source: 'env', description: '' };
  const settings = { warnings: [], describe: () => [home] };
  const draw = async (): Promise<string> => `${aPlan.steps[0]?.id}  fake.echo_all\n`;
  return { ...system, agent, settings, workflows: { ...workflows, draw } };
};

const ending = new AbortController();
process.on('SIGINT', () => ending.abort(new Error('interrupted', { cause: 'SIGINT' })));
process.on('SIGTERM', () => ending.abort(new Error('terminated', { cause: 'SIGTERM' })));
// An agent that only waits leaves Node nothing to wait for.
const alive = setInterval(() => {}, 60_000);
process.exitCode = await main(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  cwd: process.cwd(),
  signal: ending.signal,
  compose: async () => ({ ...compose, openSystem }),
});
clearInterval(alive);
process.stdin.unref();
