import { z } from 'zod';
import type { ModelProvider, ModelRole } from '../../contract/model/index.ts';
import { findSocketOwner } from './socket-owner.ts';

/** A program on this machine that serves models. */
interface LocalEndpoint {
  readonly name: string;
  readonly provider: Extract<ModelProvider, 'ollama' | 'llama-server' | 'openai'>;
  /** Base address of its OpenAI-compatible interface. */
  readonly url: string;
  /** As the program names them, in its order. */
  readonly models: readonly string[];
  /** The user account that runs it (`findSocketOwner`). */
  readonly owner: string;
}

interface FindOptions {
  readonly signal: AbortSignal;
  /** Where to look; the usual ports of this machine when not given. */
  readonly candidates?: readonly EndpointCandidate[];
}

export interface EndpointCandidate {
  readonly name: string;
  readonly provider: LocalEndpoint['provider'];
  readonly origin: string;
}

/** The default ports of these programs. */
const usualEndpoints: readonly EndpointCandidate[] = [
  { name: 'ollama', provider: 'ollama', origin: 'http://127.0.0.1:11434' },
  { name: 'llama-server', provider: 'llama-server', origin: 'http://127.0.0.1:8080' },
  { name: 'lm-studio', provider: 'openai', origin: 'http://127.0.0.1:1234' },
  { name: 'vllm', provider: 'openai', origin: 'http://127.0.0.1:8000' },
];

/** A user waits for this at a prompt; a closed port answers at once, a program on a busy machine needs a moment. */
const limitMs = 1_500;
const maxAnswerBytes = 1_000_000;
const maxModels = 100;

/** What others serve on these ports, a web page for example, does not look like this. */
const modelList = z.object({
  object: z.literal('list'),
  data: z.array(z.object({ id: z.string().min(1).max(300) })).min(1),
});

/** The programs that serve models on this machine now. Never throws but for the signal. */
export async function findLocalEndpoints(options: FindOptions): Promise<readonly LocalEndpoint[]> {
  const { candidates = usualEndpoints, signal } = options;
  const found = await Promise.all(candidates.map((candidate) => look(candidate, signal)));
  signal.throwIfAborted();
  return found.filter((endpoint) => endpoint !== null);
}

async function look(
  { name, provider, origin }: EndpointCandidate,
  signal: AbortSignal,
): Promise<LocalEndpoint | null> {
  const url = `${origin}/v1`;
  const listed = modelList.safeParse(await fetchJson(`${url}/models`, signal));
  if (!listed.success) return null;
  const models = listed.data.data.slice(0, maxModels).map(({ id }) => id);
  const owner = await findSocketOwner(Number(new URL(origin).port));
  return { name, provider, url, models, owner };
}

async function fetchJson(url: string, signal: AbortSignal): Promise<unknown> {
  try {
    const response = await fetch(url, {
      headers: { accept: 'application/json' },
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(limitMs)]),
    });
    if (!response.ok || !response.body) {
      await response.body?.cancel();
      return undefined;
    }
    return JSON.parse(await readAtMost(response.body));
  } catch {
    // Nothing listens there, or something other than a model server.
    return undefined;
  }
}

async function readAtMost(body: ReadableStream<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body) {
    bytes += piece.byteLength;
    if (bytes > maxAnswerBytes) throw new RangeError('the answer is too long');
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** Names of models that do not write text. */
const otherPurpose = /embed|rerank|whisper|tts|clip|minilm|bge-|guard|vision-only/iu;
const forCode = /code|coder|starcoder|codestral|deepseek|devstral/iu;
const forTalk = /instruct|chat|-it\b|mistral|qwen|llama|gemma|phi|gpt/iu;

/** The model of an endpoint that suits a role best; among equals the first the endpoint names. */
export function chooseModel(models: readonly string[], role: ModelRole): string | null {
  const writers = models.filter(writesText);
  const [best] = writers
    .map((name, index) => ({ name, index, score: scoreOf(name, role) }))
    .toSorted((a, b) => b.score - a.score || a.index - b.index);
  return best?.name ?? null;
}

/** Whether a model answers in text, going by its name. */
export function writesText(name: string): boolean {
  return !otherPurpose.test(name);
}

function scoreOf(name: string, role: ModelRole): number {
  const codes = forCode.test(name) ? 1 : 0;
  const talks = forTalk.test(name) ? 1 : 0;
  return role === 'code' ? 2 * codes + talks : 2 * talks - codes;
}
