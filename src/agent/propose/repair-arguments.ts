import { z } from 'zod';
import type { CatalogueEntry } from '../../contract/catalogue/index.ts';
import type { ErrorReport } from '../../contract/error/index.ts';
import type { ModelCall, Models } from '../../contract/model/index.ts';
import type { Json } from '../../contract/plan/index.ts';
import { createDataBlocks, readPrompt } from '../prompts/index.ts';
import { describeTool } from './describe-tool.ts';

export interface FailedCall {
  readonly entry: CatalogueEntry;
  /** As the plan has them, references and all. */
  readonly args: Readonly<Record<string, Json>>;
  readonly error: ErrorReport;
}

const repairSchema = z.object({ args: z.record(z.string(), z.json()).nullable() });

/** Other arguments for a call that failed; null where the model knows none. */
export async function repairArguments(
  models: Pick<Models, 'structured'>,
  { entry, args, error }: FailedCall,
  call: ModelCall,
): Promise<Readonly<Record<string, Json>> | null> {
  const blocks = createDataBlocks();
  const content = [
    blocks.block('the tool', describeTool(entry)),
    blocks.block('the arguments', JSON.stringify(args)),
    blocks.block('the error', `${error.code}: ${error.message}`, 4_000),
  ].join('\n\n');
  const messages = [
    { role: 'system', content: readPrompt('repair', blocks.boundary).text },
    { role: 'user', content },
  ] as const;
  const answer = await models.structured(
    'agent',
    { name: 'arguments', schema: repairSchema, messages },
    call,
  );
  return answer.value.args;
}
