import { z } from 'zod';
import {
  describeForgotten,
  forgottenMemorySchema,
  maxMemoryTextLength,
  memoryItemSchema,
  memoryKindSchema,
  type MemoryItem,
  type MemoryItems,
} from '../../contract/memory/index.ts';
import type { CallContext } from '../../contract/server/index.ts';
import { AppError, escapeUnseen } from '../../kernel/index.ts';
import { defineTool, type DefinedTool } from '../define-tool.ts';
import { InvalidArgumentsError } from '../errors.ts';
import { itemId } from './read-tools.ts';
import texts from './tools.json' with { type: 'json' };

const text = z
  .string()
  .min(1)
  .max(maxMemoryTextLength)
  .describe('One fact, decision or preference, as a sentence that is understood without context.');

const itemOutput = z.object({ item: memoryItemSchema });

/** A new version, an exclusion and a removal can all take something away that counted. */
const writes = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: true,
  openWorldHint: false,
} as const;

export function rememberTool(memory: MemoryItems): DefinedTool {
  return defineTool({
    ...texts.remember,
    input: z.strictObject({
      text,
      kind: memoryKindSchema
        .exclude(['turn', 'experience'])
        .default('fact')
        .describe('What it is.'),
      valid_until: z.iso.datetime().optional().describe('When it stops being true, if known.'),
      everywhere: z
        .boolean()
        .default(false)
        .describe('True of all projects, such as who the user is; otherwise of the current one.'),
    }),
    output: itemOutput,
    annotations: { ...writes, destructiveHint: false },
    run: async ({ text: words, kind, valid_until: validUntil, everywhere }, context) => ({
      item: await memory.remember(context.caller, {
        text: words,
        kind,
        validUntil,
        isEverywhere: everywhere,
        ...(await vouch(context, `Remember this?\n${words}`)),
      }),
    }),
    summarize: ({ item }) => describeKept(item, 'Remembered'),
  });
}

export function forgetTool(memory: MemoryItems): DefinedTool {
  return defineTool({
    ...texts.forget,
    input: z.strictObject({
      ids: z.array(itemId).min(1).max(50).describe('Items to forget, as search gives their ids.'),
    }),
    output: forgottenMemorySchema,
    annotations: writes,
    run: ({ ids }, { caller }) => memory.forget(caller, ids),
    summarize: (answer) => `Forgotten: ${describeForgotten(answer)}`,
  });
}

const updateInput = z.strictObject({
  id: itemId,
  action: z
    .enum(['correct', 'pin', 'unpin', 'exclude'])
    .describe('correct: a new version supersedes it. exclude: it is kept, but not recalled.'),
  text: text.optional().describe('The new version; for correct only.'),
});

export function updateTool(memory: MemoryItems): DefinedTool {
  return defineTool({
    ...texts.update,
    input: updateInput,
    output: itemOutput,
    annotations: writes,
    run: async (input, context) => ({ item: await update(memory, input, context) }),
    summarize: ({ item }) => describeKept(item, 'Changed'),
  });
}

async function update(
  memory: MemoryItems,
  { id, action, text: words }: z.output<typeof updateInput>,
  context: CallContext,
): Promise<MemoryItem> {
  const { caller } = context;
  switch (action) {
    case 'pin':
    case 'unpin':
      return memory.pin(caller, id, action === 'pin');
    case 'exclude':
      return memory.setStatus(caller, id, 'excluded');
    case 'correct': {
      if (words === undefined) throw new InvalidArgumentsError('update', ['text is missing']);
      const { item } = await memory.explain(caller, id);
      const question = `Correct what is remembered?\nBefore: ${item.text}\nAfter: ${words}`;
      return memory.correct(caller, item.id, { text: words, ...(await vouch(context, question)) });
    }
  }
}

/**
 * Whether a person vouches for the words. A call from a terminal or with a caller's own key over REST is theirs; one over
 * MCP, of a run or of the agent may have been made up by a model, so the person behind it is asked, if that is possible.
 */
async function vouch({ face, client, signal }: CallContext, question: string) {
  if (face === 'cli' || face === 'rest') {
    return { isVouchedFor: true, source: { kind: 'person', face } } as const;
  }
  const source = { kind: 'person', face: 'mcp' } as const;
  if (face !== 'mcp' || client?.capabilities['elicitation'] === undefined) {
    return { isVouchedFor: false, source };
  }
  const params = {
    message: escapeUnseen(question),
    requestedSchema: {
      type: 'object',
      properties: { accept: { type: 'boolean', title: 'Yes', default: false } },
      required: ['accept'],
    },
  };
  try {
    const answer = await client.ask({ method: 'elicitation/create', params }, signal);
    const { accept }: { accept?: unknown } = Object(answer['content']);
    return { isVouchedFor: answer['action'] === 'accept' && accept === true, source };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof AppError) return { isVouchedFor: false, source };
    throw error;
  }
}

function describeKept({ id, text: words, status }: MemoryItem, done: string): string {
  const hint = `. It is a candidate: a person accepts it with "tutti memory accept ${id}"`;
  return `${done} as ${id}: ${words}${status === 'candidate' ? hint : ''}`;
}
