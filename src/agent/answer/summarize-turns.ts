import type { ModelCall, Models } from '../../contract/model/index.ts';
import { createDataBlocks, cutMiddle, readPrompt } from '../prompts/index.ts';

export interface Summarized {
  /** The summary so far; null when there is none. */
  readonly before: string | null;
  /** The turns that are new to it, in the user's own words. */
  readonly turns: readonly string[];
}

const maxSummaryChars = 3_000;
const maxSummaryTokens = 600;
const maxTurnsChars = 30_000;

/** The gist of older turns. Without a model there is none: then sentences of the turns themselves stand for them. */
export async function summarizeTurns(
  models: Pick<Models, 'text'>,
  { before, turns }: Summarized,
  call: ModelCall,
): Promise<string> {
  const blocks = createDataBlocks();
  const content = [
    ...(before === null ? [] : [blocks.block('the summary so far', before)]),
    blocks.block('the turns', turns.join('\n'), maxTurnsChars),
  ].join('\n\n');
  const messages = [
    { role: 'system', content: readPrompt('summary', blocks.boundary).text },
    { role: 'user', content },
  ] as const;
  const answer = await models.text('agent', { messages, maxOutputTokens: maxSummaryTokens }, call);
  return cutMiddle(answer.text.trim(), maxSummaryChars);
}
