import { AddonMissingError } from './errors.ts';

/** What we use of the package `node-llama-cpp`, which whoever wants a GGUF file in this process installs. */
export interface LlamaAddon {
  getLlama(options: {
    build: 'never';
    skipDownload: true;
    logLevel: 'disabled';
    maxThreads: number;
  }): Promise<Llama>;
  readonly LlamaChatSession: new (options: { contextSequence: LlamaSequence }) => LlamaSession;
}

export interface Llama {
  loadModel(options: { modelPath: string; loadSignal?: AbortSignal }): Promise<LlamaModel>;
  createGrammarForJsonSchema(schema: object): Promise<object>;
  dispose(): Promise<void>;
}

export interface LlamaModel {
  readonly trainContextSize: number;
  tokenize(text: string): readonly number[];
  createContext(options: {
    contextSize: { min: number; max: number };
    threads: number;
  }): Promise<LlamaContext>;
  dispose(): Promise<void>;
}

export interface LlamaContext {
  readonly contextSize: number;
  getSequence(): LlamaSequence;
  dispose(): Promise<void>;
}

export interface LlamaSequence {
  readonly tokenMeter: { readonly usedInputTokens: number; readonly usedOutputTokens: number };
  dispose(): void;
}

export interface LlamaSession {
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

export type LlamaHistoryItem =
  | { type: 'system'; text: string }
  | { type: 'user'; text: string }
  | { type: 'model'; response: string[] };

/** Its name, or the address of its main module. */
export async function loadAddon(specifier: string): Promise<LlamaAddon> {
  try {
    // The package's own declarations are not at hand where it is not installed; these members are documented.
    return (await import(specifier)) as LlamaAddon;
  } catch (error) {
    throw new AddonMissingError(error);
  }
}
