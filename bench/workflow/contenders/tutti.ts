import { join } from 'node:path';
import { openWorkflows } from '../../../src/compose/open-workflows.ts';
import { startObserving } from '../../../src/compose/observing.ts';
import { loadSettingsHere } from '../../../src/compose/settings.ts';
import { openArtifactsHere } from '../../../src/compose/workflow.ts';
import { localCaller } from '../../../src/contract/caller/index.ts';
import type { Catalogue } from '../../../src/contract/catalogue/index.ts';
import type { Tool } from '../../../src/contract/tool/index.ts';
import { traceLimits } from '../../../src/observe/index.ts';
import { openStore } from '../../../src/store/index.ts';
import type { Contender } from '../contender.ts';
import { needsOf, type Scenario, type StepCounter } from '../scenarios.ts';

/**
 * The workflow room as a process that serves has it, over a catalogue of one tool in this process: the type
 * check, the storing of the plan and the final view are part of the time. Traces are off, as the others'.
 */
export const tutti: Contender = {
  name: 'tutti',
  async open({ durability, folder, counter }) {
    const home = join(folder, 'home');
    const request = {
      flags: {
        home,
        'tracing.enabled': false,
        'workflow.durability': durability,
        'workflow.max_parallel': 1_000,
      },
      env: {},
      cwd: folder,
    };
    const { values: settings } = await loadSettingsHere(request);
    const databaseUrl = process.env['MCP_DATABASE_URL'];
    const store = openStore({ home, databaseUrl, traceLimits, place: async () => folder });
    const observing = startObserving({
      settings,
      version: '0',
      logTo: 'file',
      traces: store.traces,
    });
    const parts = {
      settings,
      store,
      request,
      roots: { folder: async () => folder },
      log: observing.log,
      tracing: observing.tracing,
      catalogue: () => catalogueOf(counter),
    };
    const open = openWorkflows({ ...parts, artifacts: await openArtifactsHere(parts) });
    // As in a process that serves: it executes what it stores, and looks for what others left.
    open.resumeUnfinished();
    return {
      pids: [],
      run: async (scenario) => {
        const plan = planOf(scenario);
        const signal = AbortSignal.timeout(600_000);
        await Promise.all(
          Array.from({ length: scenario.runs }, () => runPlan(open.workflows, plan, signal)),
        );
      },
      close: async () => {
        await open.close();
        await observing.tracing.close();
        store.close();
        observing.log.close();
      },
    };
  },
};

type Workflows = ReturnType<typeof openWorkflows>['workflows'];

async function runPlan(workflows: Workflows, plan: object, signal: AbortSignal): Promise<void> {
  const { runId } = await workflows.start(localCaller, {
    source: { kind: 'data', plan },
    input: {},
  });
  const { status, error } = await workflows.follow(localCaller, runId, { execute: true, signal });
  if (status !== 'succeeded')
    throw new Error(`The run ended as ${status}: ${error?.message ?? ''}`);
}

/** Every step takes what two steps of the layer before gave; in a chain both are the same. */
function planOf({ layers }: Scenario): object {
  const steps = layers.flatMap((width, layer) =>
    Array.from({ length: width }, (_, n) => {
      const before = layers[layer - 1];
      const [left, right] = before === undefined ? [] : needsOf(n, before);
      const args =
        left === undefined
          ? { n }
          : { n, left: `\${s${layer - 1}_${left}.n}`, right: `\${s${layer - 1}_${right}.n}` };
      return { id: `s${layer}_${n}`, tool: 'bench.step', args };
    }),
  );
  return { steps, output: 'done' };
}

const number = { type: 'number' };

const tool: Tool = {
  name: 'step',
  inputSchema: {
    type: 'object',
    properties: { n: number, left: number, right: number },
    required: ['n'],
    additionalProperties: false,
  },
  outputSchema: {
    type: 'object',
    properties: { n: number },
    required: ['n'],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: true, idempotentHint: true },
};

function catalogueOf(counter: StepCounter): Catalogue {
  const entry = { name: 'bench.step', wireName: 'bench__step', server: 'bench', tool };
  const nothing = async (): Promise<never[]> => [];
  return {
    name: 'bench',
    title: 'bench',
    version: '0',
    entries: async () => [entry],
    listTools: async () => [tool],
    callTool: async (_, args) => ({
      content: [],
      // The schema of the tool was checked with the plan.
      structuredContent: { ...counter.step((args as { n: number }).n) },
    }),
    listResources: nothing,
    listResourceTemplates: nothing,
    readResource: async () => ({ contents: [] }),
    listPrompts: nothing,
    getPrompt: async () => ({ messages: [] }),
    complete: async () => ({ values: [] }),
    onChange: () => () => {},
    close: async () => {},
  };
}
