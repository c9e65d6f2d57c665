import { basename } from 'node:path';
import { availableParallelism } from 'node:os';
import type { ChatMessage } from '../../contract/model/index.ts';
import type { TextModel, TextModelAnswer, TextModelRequest } from '../text-model.ts';
import { checkGgufFile } from './check-gguf-file.ts';
import { GgufFailedError } from './errors.ts';
import {
  loadAddon,
  type Llama,
  type LlamaAddon,
  type LlamaContext,
  type LlamaHistoryItem,
} from './llama-addon.ts';

export interface GgufOptions {
  /** As `tutti models` shows it. */
  readonly name: string;
  readonly path: string;
  /** The most tokens of a request and its answer; less where the model was trained on less. */
  readonly contextTokens?: number;
  readonly defaultTemperature: number;
  /** Where the package is; found by its name when not given. */
  readonly addon?: string;
}

const defaultContextTokens = 8_192;
const minContextTokens = 256;
/** Tens of gigabytes from a slow disk. */
const maxLoadMs = 600_000;
const defaultMaxOutputTokens = 2_048;

/**
 * A GGUF file in this process. One request at a time: those that come meanwhile wait for it. The file is
 * loaded by the first request and stays until `close`. Answers as JSON keep to their schema, whatever the
 * model wants: the grammar lets no other token through.
 */
export function createGgufModel(options: GgufOptions): TextModel {
  let opening: Promise<OpenGguf> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const open = (): Promise<OpenGguf> => {
    opening ??= openGguf(options).catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  };
  return {
    name: options.name,
    provider: 'gguf',
    model: basename(options.path),
    url: null,
    contextTokens: options.contextTokens ?? defaultContextTokens,
    ask(request, { signal, onText }) {
      const turn = last.then(async () => {
        signal.throwIfAborted();
        return answer(await open(), { request, signal, onText, options });
      });
      last = turn.catch(() => {});
      return turn;
    },
    probe: async () => {
      try {
        await checkGgufFile(options.path);
        await loadAddon(options.addon ?? 'node-llama-cpp');
        return { problem: null };
      } catch (error) {
        return { problem: error instanceof Error ? error.message : String(error) };
      }
    },
    close: async () => {
      await last;
      const opened = await opening?.catch(() => undefined);
      opening = undefined;
      await opened?.close();
    },
  };
}

interface Held {
  dispose(): Promise<void>;
}

interface OpenGguf {
  readonly addon: LlamaAddon;
  readonly llama: Llama;
  readonly context: LlamaContext;
  close(): Promise<void>;
}

async function openGguf({ path, addon: specifier, contextTokens }: GgufOptions): Promise<OpenGguf> {
  const addon = await loadAddon(specifier ?? 'node-llama-cpp');
  // Its threads spin while they wait for one another: more of them than idle processors make it slower.
  const threads = Math.max(1, availableParallelism() - 1);
  try {
    await checkGgufFile(path);
    const llama = await addon.getLlama({
      build: 'never',
      skipDownload: true,
      // What it has to say comes as an exception, too; this would go to the user's terminal.
      logLevel: 'disabled',
      maxThreads: threads,
    });
    const opened: Held[] = [llama];
    const close = async (): Promise<void> => {
      for (const one of opened.toReversed()) await one.dispose();
    };
    try {
      const loadSignal = AbortSignal.timeout(maxLoadMs);
      const model = await llama.loadModel({ modelPath: path, loadSignal });
      opened.push(model);
      const max = Math.min(contextTokens ?? defaultContextTokens, model.trainContextSize);
      const contextSize = { min: Math.min(minContextTokens, max), max };
      const context = await model.createContext({ contextSize, threads });
      opened.push(context);
      return { addon, llama, context, close };
    } catch (error) {
      // A model is gigabytes, and the next request loads it again.
      await close();
      throw error;
    }
  } catch (error) {
    throw new GgufFailedError(path, 'Loading', error);
  }
}

interface Question {
  readonly request: TextModelRequest;
  readonly signal: AbortSignal;
  readonly onText: ((piece: string) => void) | undefined;
  readonly options: GgufOptions;
}

async function answer(opened: OpenGguf, question: Question): Promise<TextModelAnswer> {
  const { request, signal, onText, options } = question;
  const sequence = opened.context.getSequence();
  const session = new opened.addon.LlamaChatSession({ contextSequence: sequence });
  try {
    const { history, prompt } = splitMessages(request.messages);
    session.setChatHistory(history);
    const grammar = request.json
      ? await opened.llama.createGrammarForJsonSchema(request.json.schema)
      : undefined;
    const said = await session.promptWithMeta(prompt, {
      ...(grammar && { grammar }),
      maxTokens: request.maxOutputTokens ?? defaultMaxOutputTokens,
      temperature: request.temperature ?? options.defaultTemperature,
      signal,
      stopOnAbortSignal: false,
      ...(onText && { onTextChunk: onText }),
      ...(request.stopSequences && { customStopTriggers: request.stopSequences }),
    });
    const { usedInputTokens: inputTokens, usedOutputTokens: outputTokens } = sequence.tokenMeter;
    const finish = said.stopReason === 'maxTokens' ? 'length' : 'stop';
    return { text: said.responseText, finish, usage: { inputTokens, outputTokens } };
  } catch (error) {
    signal.throwIfAborted();
    throw new GgufFailedError(options.path, 'An answer', error);
  } finally {
    session.dispose();
    sequence.dispose();
  }
}

/** The last message of the user is the prompt; what comes before it is the history. */
function splitMessages(messages: readonly ChatMessage[]): {
  history: LlamaHistoryItem[];
  prompt: string;
} {
  const lastUser = messages.findLastIndex(({ role }) => role === 'user');
  const history = messages
    .filter((_, index) => index !== lastUser)
    .map((message): LlamaHistoryItem => {
      if (message.role === 'assistant') return { type: 'model', response: [message.content] };
      return { type: message.role, text: message.content };
    });
  return { history, prompt: messages[lastUser]?.content ?? '' };
}
