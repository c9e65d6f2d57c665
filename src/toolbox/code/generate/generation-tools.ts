import type { Generation } from '../../../contract/generation/index.ts';
import type { DefinedTool } from '../../define-tool.ts';
import { formalizeTaskTool } from './formalize-task-tool.ts';
import { generateCodeTool } from './generate-code-tool.ts';
import { generateTestsTool } from './generate-tests-tool.ts';
import { generateWithContextTool } from './generate-with-context-tool.ts';

/** The tools that ask a model; `generation` is opened by the first call. */
export function generationTools(generation: () => Promise<Generation>): readonly DefinedTool[] {
  return [
    formalizeTaskTool(generation),
    generateCodeTool(generation),
    generateTestsTool(generation),
    generateWithContextTool(generation),
  ];
}
