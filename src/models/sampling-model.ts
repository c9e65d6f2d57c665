import { z } from 'zod';
import type { ChatMessage, ModelText } from '../contract/model/index.ts';
import type { ClientPort } from '../contract/server/index.ts';
import { AppError } from '../kernel/index.ts';
import type { TextModel, TextModelRequest } from './text-model.ts';

const defaultMaxOutputTokens = 2_048;

const block = z.object({ type: z.string(), text: z.string().optional() });
/** As the client gives it: 2025-11-25 allows several blocks, before that there is one. */
const sample = z.object({
  model: z.string().max(300).optional(),
  stopReason: z.string().optional(),
  content: z.union([block.transform((one) => [one]), z.array(block)]),
});

/**
 * The model of the program that called us (MCP `sampling/createMessage`), or null where it offers none. The
 * client decides whether, and by which model, it is answered; how it is asked depends on its era and is the
 * client port's matter.
 */
export function createSamplingModel(client: ClientPort): TextModel | null {
  if (client.capabilities['sampling'] === undefined) return null;
  return {
    name: 'client',
    provider: 'client',
    model: null,
    url: null,
    contextTokens: null,
    async ask(request, { signal, onText }) {
      const params = samplingParams(request);
      const given = await client.ask({ method: 'sampling/createMessage', params }, signal);
      const read = sample.safeParse(given);
      if (!read.success) throw new UnusableSampleError(z.prettifyError(read.error));
      const text = read.data.content
        .filter(({ type }) => type === 'text')
        .map((part) => part.text ?? '')
        .join('');
      if (text !== '') onText?.(text);
      return { text, finish: finishOf(read.data.stopReason), usage: null };
    },
    probe: async () => ({ problem: null }),
    close: async () => {},
  };
}

/** The protocol has neither system messages in the list nor a way to ask for JSON: both go into the texts. */
function samplingParams(request: TextModelRequest): Readonly<Record<string, unknown>> {
  const { messages, json, temperature, stopSequences, maxOutputTokens } = request;
  const system = [...messages.filter(isSystem).map(({ content }) => content), ...jsonOrder(json)];
  const spoken = messages.filter((message) => !isSystem(message));
  return {
    messages: spoken.map(({ role, content }) => ({
      role,
      content: { type: 'text', text: content },
    })),
    ...(system.length > 0 && { systemPrompt: system.join('\n\n') }),
    ...(temperature !== undefined && { temperature }),
    ...(stopSequences && stopSequences.length > 0 && { stopSequences }),
    maxTokens: maxOutputTokens ?? defaultMaxOutputTokens,
  };
}

function isSystem({ role }: ChatMessage): boolean {
  return role === 'system';
}

function jsonOrder(json: TextModelRequest['json']): string[] {
  if (!json) return [];
  const schema = JSON.stringify(json.schema);
  return [
    `Answer with one JSON document "${json.name}" and nothing else. Its JSON Schema: ${schema}`,
  ];
}

function finishOf(stopReason: string | undefined): ModelText['finish'] {
  if (stopReason === 'maxTokens') return 'length';
  return stopReason === undefined || stopReason === 'endTurn' || stopReason === 'stopSequence'
    ? 'stop'
    : 'other';
}

/** The client's model answered with something that is no message. */
class UnusableSampleError extends AppError {
  readonly code = 'models.bad_sample';

  constructor(reason: string) {
    super(
      `The client was asked for its model's answer (sampling/createMessage) and gave something else: ${reason}. ` +
        'Connect a model of your own, or another client.',
      { details: { reason } },
    );
  }
}
