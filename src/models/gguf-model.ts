import { availableParallelism } from 'node:os';
import { basename } from 'node:path';
import type { ChatMessage } from '../contract/model/index.ts';
import { AppError, readFileStart, UnusableFileError } from '../kernel/index.ts';
import type { TextModel, TextModelAnswer, TextModelRequest } from './text-model.ts';

interface GgufOptions {
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

const headerBytes = 24;
const knownVersions = [2, 3];
/** The largest models have some thousand tensors and some dozen facts. */
const maxCount = 1_000_000n;

/**
 * Throws when a file cannot be a GGUF file. Readers of such files trust the counts in the
 * header: with wrong ones it would not come to an end.
 */
async function checkGgufFile(path: string): Promise<void> {
  const header = await readFileStart(path, { maxBytes: headerBytes }).catch((error: unknown) => {
    const isMissing = error instanceof UnusableFileError && error.reason === 'missing';
    if (!isMissing) throw error;
    throw new Error(`there is no file ${path}; correct its path in the settings`);
  });
  if (header.length < headerBytes || header.toString('latin1', 0, 4) !== 'GGUF') {
    throw new Error('this is not a GGUF file');
  }
  const version = header.readUInt32LE(4);
  if (!knownVersions.includes(version)) throw new Error(`GGUF version ${version} is not known`);
  const tensors = header.readBigUInt64LE(8);
  const facts = header.readBigUInt64LE(16);
  if (tensors > maxCount || facts > maxCount) throw new Error('its header is damaged');
}

/** What we use of the package `node-llama-cpp`, an optional dependency of GGUF files in this process. */
interface LlamaAddon {
  getLlama(options: {
    build: 'never';
    skipDownload: true;
    logLevel: 'disabled';
    maxThreads: number;
  }): Promise<Llama>;
  readonly LlamaChatSession: new (options: { contextSequence: LlamaSequence }) => LlamaSession;
}

interface Llama {
  loadModel(options: { modelPath: string; loadSignal?: AbortSignal }): Promise<LlamaModel>;
  createGrammarForJsonSchema(schema: object): Promise<object>;
  dispose(): Promise<void>;
}

interface LlamaModel {
  readonly trainContextSize: number;
  tokenize(text: string): readonly number[];
  createContext(options: {
    contextSize: { min: number; max: number };
    threads: number;
  }): Promise<LlamaContext>;
  dispose(): Promise<void>;
}

interface LlamaContext {
  readonly contextSize: number;
  getSequence(): LlamaSequence;
  dispose(): Promise<void>;
}

interface LlamaSequence {
  readonly tokenMeter: { readonly usedInputTokens: number; readonly usedOutputTokens: number };
  dispose(): void;
}

interface LlamaSession {
  setChatHistory(history: readonly LlamaHistoryItem[]): void;
  promptWithMeta(
    text: string,
    options: {
      grammar?: object;
      maxTokens: number;
      temperature: number;
      signal: AbortSignal;
      stopOnAbortSignal: false;
      onTextChunk?: (piece: string) => void;
      customStopTriggers?: readonly string[];
    },
  ): Promise<{ responseText: string; stopReason: string }>;
  dispose(): void;
}

type LlamaHistoryItem =
  | { type: 'system'; text: string }
  | { type: 'user'; text: string }
  | { type: 'model'; response: string[] };

/** Its name, or the address of its main module. */
async function loadAddon(specifier: string): Promise<LlamaAddon> {
  try {
    // The package's own declarations are not at hand where it is not installed; these members are documented.
    return (await import(specifier)) as LlamaAddon;
  } catch (error) {
    throw new AddonMissingError(error);
  }
}

/** The package that runs GGUF files is not installed. */
class AddonMissingError extends AppError {
  readonly code = 'models.addon_missing';

  constructor(cause: unknown) {
    super(
      'The model was not loaded: a GGUF file in this process needs the package node-llama-cpp. ' +
        'Install it beside Tutti: npm install -g node-llama-cpp',
      { cause },
    );
  }
}

/** A GGUF file could not be loaded, or the model in it failed. */
export class GgufFailedError extends AppError {
  readonly code = 'models.gguf_failed';

  constructor(path: string, attempt: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`${attempt} of "${path}" failed: ${reason}`, { cause, details: { path, reason } });
  }
}
