import { setTimeout } from 'node:timers/promises';
import type { TrainingEngine } from '../../contract/ml/index.ts';
import type { CallContext, McpServer } from '../../contract/server/index.ts';
import type { EffectPreview } from '../../contract/tool/index.ts';
import type { DefinedTool } from '../define-tool.ts';
import { createToolboxServer } from '../toolbox-server.ts';
import { loadConfigTool } from './config/load-config-tool.ts';
import { loadDatasetTool } from './dataset/load-dataset-tool.ts';
import { createEnvTool } from './environment/create-env-tool.ts';
import { MlDiskFullError } from './errors.ts';
import { compareModelsTool, evaluateTool } from './evaluation/evaluation-tools.ts';
import { predictTool } from './evaluation/predict-tool.ts';
import type { MlParts } from './ml-ports.ts';
import { estimateTool } from './models/estimate-tool.ts';
import { getModelTool, listModelsTool, promoteModelTool } from './models/store-tools.ts';
import { finetuneTool, quantizeTool, trainTool } from './models/train-tools.ts';

interface MlServer extends McpServer {
  /** What a call would do, undefined for tools that change nothing. Throws what the call would throw. */
  preview(
    tool: string,
    args: unknown,
    context: Pick<CallContext, 'signal'>,
  ): Promise<EffectPreview | undefined>;
}

/** The server `ml`: datasets, training in the sandbox, and the store of trained models. */
export function createMlServer(given: MlParts): MlServer {
  const { engines, followCalls, close } = followWork(given.engines);
  const parts = { ...given, engines };
  const environment = createEnvTool(parts);
  const server = createToolboxServer({
    name: 'ml',
    title: 'Machine learning',
    version: parts.version,
    instructions:
      'Trains models on this machine: load_dataset gives the id of a dataset, finetune or train makes a version of a model from it, quantize, evaluate and compare_models go on with that. ' +
      'estimate says before what a fine-tuning takes. Interrupted jobs continue when they are called again.',
    tools: [
      loadDatasetTool(parts),
      loadConfigTool(parts),
      followCalls(environment),
      estimateTool(parts),
      trainTool(parts),
      finetuneTool(parts),
      quantizeTool(parts),
      evaluateTool(parts),
      predictTool(parts),
      compareModelsTool(parts),
      listModelsTool(parts),
      getModelTool(parts),
      promoteModelTool(parts),
    ].map((tool) => explainFullDisk(tool, parts.home)),
    close,
  });
  return {
    ...server,
    preview: async (name, args, context) =>
      name === environment.name ? environment.preview(args, context) : undefined,
  };
}

const fullCodes = new Set<unknown>(['ENOSPC', 'EDQUOT']);

/** Whatever a tool was writing when the disk became full, the error says so. */
function explainFullDisk(tool: DefinedTool, home: string): DefinedTool {
  const call: DefinedTool['call'] = async (...given) => {
    try {
      return await tool.call(...given);
    } catch (error) {
      throw isFull(error) || (error instanceof Error && isFull(error.cause))
        ? new MlDiskFullError(home, error)
        : error;
    }
  };
  return { ...tool, call };
}

const isFull = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && fullCodes.has(error.code);

/** One step and its checkpoint; what takes longer is left to the checkpoint before. */
const maxCloseMs = 30_000;

interface FollowedWork {
  readonly engines: () => Promise<readonly TrainingEngine[]>;
  readonly followCalls: (tool: DefinedTool) => DefinedTool;
  /** Ends what runs, and returns when its checkpoints are written and its folders are removed. */
  readonly close: () => Promise<void>;
}

/**
 * Runs of engines, and calls of tools, that are waited for. A cancelled call returns at once, and its run goes on to its
 * checkpoint, or removes what it has built: a server that closed meanwhile would end it before.
 */
function followWork(engines: () => Promise<readonly TrainingEngine[]>): FollowedWork {
  const closing = new AbortController();
  const running = new Set<Promise<unknown>>();
  const until = (signal: AbortSignal): AbortSignal => AbortSignal.any([signal, closing.signal]);
  const follow = <Result>(work: Promise<Result>): Promise<Result> => {
    running.add(work);
    const forget = (): void => void running.delete(work);
    work.then(forget, forget);
    return work;
  };
  const followEngine = (engine: TrainingEngine): TrainingEngine => ({
    name: engine.name,
    probe: () => engine.probe(),
    plan: (job) => engine.plan(job),
    run: (job, watch) => follow(engine.run(job, { ...watch, signal: until(watch.signal) })),
  });
  return {
    engines: async () => (await engines()).map(followEngine),
    followCalls: (tool) => ({
      ...tool,
      call: (args, context) =>
        follow(tool.call(args, { ...context, signal: until(context.signal) })),
    }),
    close: async () => {
      closing.abort();
      const isOver = new AbortController();
      const limit = setTimeout(maxCloseMs, undefined, { signal: isOver.signal }).catch(() => {});
      await Promise.race([Promise.allSettled(running), limit]);
      isOver.abort();
    },
  };
}
