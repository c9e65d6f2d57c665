import { writeFileSync } from 'node:fs';
import { phraseFamilies } from '../src/agent/planner/words/lexicon/phrases.ts';
import { createLocalEmbedder } from '../src/models/index.ts';

/** Writes the vectors of the planner's phrases, so that nobody waits for them to be computed. */
const embedder = createLocalEmbedder();
const phrases = [...new Set(Object.values(phraseFamilies).flat())];
const vectors = await embedder.embed(phrases, new AbortController().signal);
await embedder.close();

const lines = phrases.map((phrase, at) => {
  const vector = vectors[at] ?? new Float32Array();
  const largest = Math.max(...vector.map((value) => Math.abs(value)));
  const bytes = Int8Array.from(vector, (value) => Math.round((value / largest) * 127));
  return `  ${JSON.stringify(phrase)}:\n    '${Buffer.from(bytes.buffer).toString('base64')}',`;
});
const path = new URL('../src/agent/planner/words/lexicon/phrase-vectors.ts', import.meta.url);
writeFileSync(
  path,
  `/** Made by scripts/embed-planner-phrases.ts: the direction of each phrase in phrases.ts, as bytes. */
export const phraseVectors: Readonly<Record<string, string>> = {
${lines.join('\n')}
};
`,
);
