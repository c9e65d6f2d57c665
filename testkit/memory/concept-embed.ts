import type { Embed } from '../../src/memory/converse/recall.ts';

/** Words that mean the same, by what they mean: enough of a model for tests. */
const concepts: readonly (readonly string[])[] = [
  ['database', 'postgres', 'storage', 'persist'],
  ['port', 'socket', 'listens', 'reachable'],
  ['deadline', 'due', 'ship', 'release', 'deliver'],
  ['dog', 'puppy', 'hound', 'pet'],
  ['test', 'tests', 'pytest', 'check'],
  ['parser', 'grammar', 'tokens'],
];

export interface ConceptEmbed extends Embed {
  /** Texts that were embedded. */
  readonly seen: string[];
}

/** Vectors by the concepts of a text. */
export function conceptEmbed(): ConceptEmbed {
  const seen: string[] = [];
  const vectorOf = (text: string): Float32Array => {
    const lower = text.toLowerCase();
    const raw = concepts.map((words) => (words.some((word) => lower.includes(word)) ? 1 : 0));
    const length = Math.hypot(...raw);
    return Float32Array.from(raw, (number) => (length === 0 ? 0 : number / length));
  };
  const embedAll = async (texts: readonly string[], signal: AbortSignal) => {
    signal.throwIfAborted();
    seen.push(...texts);
    return texts.map(vectorOf);
  };
  return {
    seen,
    query: async (text, signal) => (await embedAll([text], signal))[0] ?? new Float32Array(),
    passages: embedAll,
  };
}
