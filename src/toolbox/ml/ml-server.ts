import type { McpServer } from '../../contract/server/index.ts';
import { createToolboxServer } from '../toolbox-server.ts';
import { loadConfigTool } from './config/load-config-tool.ts';
import { loadDatasetTool } from './dataset/load-dataset-tool.ts';
import { createEnvTool } from './environment/create-env-tool.ts';
import { compareModelsTool, evaluateTool } from './evaluation/evaluation-tools.ts';
import { predictTool } from './evaluation/predict-tool.ts';
import { explainFullDisk } from './explain-full-disk.ts';
import { followEngines } from './jobs/follow-jobs.ts';
import type { MlParts } from './ml-ports.ts';
import { estimateTool } from './models/estimate-tool.ts';
import { getModelTool, listModelsTool, promoteModelTool } from './models/store-tools.ts';
import { finetuneTool, quantizeTool, trainTool } from './models/train-tools.ts';

/** The server `ml`: datasets, training in the sandbox, and the store of trained models. */
export function createMlServer(given: MlParts): McpServer {
  const { engines, close } = followEngines(given.engines);
  const parts = { ...given, engines };
  return createToolboxServer({
    name: 'ml',
    title: 'Machine learning',
    version: parts.version,
    instructions:
      'Trains models on this machine: load_dataset gives the id of a dataset, finetune or train makes a version of a model from it, quantize, evaluate and compare_models go on with that. ' +
      'estimate says before what a fine-tuning takes. Interrupted jobs continue when they are called again.',
    tools: [
      loadDatasetTool(parts),
      loadConfigTool(parts),
      createEnvTool(parts),
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
}
