import { pathToFileURL } from 'node:url';

/** The parts of node-llama-cpp that score a text. */
interface Addon {
  getLlama(options: object): Promise<{
    loadModel(options: object): Promise<LoadedModel>;
    dispose(): Promise<void>;
  }>;
}

interface LoadedModel {
  tokenize(text: string): number[];
  createContext(options: object): Promise<{ getSequence(): Sequence }>;
}

interface Sequence {
  controlledEvaluate(
    input: unknown[],
  ): Promise<{ next: { probabilities?: Map<number, number> } }[]>;
}

const [begin, end] = [256, 257];

/** Mean loss of a text in llama.cpp, on the tokens it makes of it itself. */
export async function scoreWithLlama(
  addonFile: string,
  path: string,
  text: string,
): Promise<{ loss: number; tokens: number[] }> {
  // The package is optional, and its types are not installed where it is not.
  const addon = (await import(pathToFileURL(addonFile).href)) as Addon;
  const llama = await addon.getLlama({
    gpu: false,
    build: 'never',
    progressLogs: false,
    logLevel: 'disabled',
  });
  try {
    const model = await llama.loadModel({ modelPath: path, gpuLayers: 0 });
    const sequence = (await model.createContext({ contextSize: 256, threads: 1 })).getSequence();
    // As our own scoring has it: between the tokens for beginning and end.
    const tokens = [begin, ...model.tokenize(text), end];
    const outputs = await sequence.controlledEvaluate(
      tokens.map((token) => [token, { generateNext: { probabilities: true } }]),
    );
    let loss = 0;
    for (let at = 0; at + 1 < tokens.length; at++) {
      loss -= Math.log(outputs[at]?.next.probabilities?.get(tokens[at + 1] ?? -1) ?? 0);
    }
    return { loss: loss / (tokens.length - 1), tokens };
  } finally {
    await llama.dispose();
  }
}
