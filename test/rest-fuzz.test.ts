import { afterAll, beforeAll, expect, it } from 'vitest';
import { openApiDocument } from '../src/api/document/openapi-document.ts';
import { errorCodes } from '../src/contract/error/index.ts';
import { aWholeApi, type WholeApi } from '../testkit/api/a-whole-api.ts';
import { RequestFuzzer } from '../testkit/api/fuzz-requests.ts';
import { isProof, seededRandom } from '../testkit/sample.ts';

const startupMs = 60_000;
const requests = isProof ? 12_000 : 600;
const seed = Number(process.env['TUTTI_FUZZ_SEED'] ?? 20);
const canary = 'CANARY-3f9a';

let api: WholeApi;
beforeAll(async () => {
  api = await aWholeApi();
}, startupMs);
afterAll(() => api.close());

/** What a caller of another tenant has; the ids are known to the attacker. */
async function foreignIds(): Promise<string[]> {
  const post = async (path: string, body: object) =>
    (await api.send({ method: 'POST', path: `/api/v1${path}`, body, as: 'sam' })).json;
  const plan = { name: canary, goal: canary, steps: [{ id: 'a', sleep: '1ms' }] };
  const { runId } = await post('/runs', { plan, input: {} });
  const { id: sessionId } = await post('/sessions', { title: canary });
  const artifacts = await api.rooms.runs.artifacts();
  const lineage = { runId, step: 'a', tool: null, argumentsDigest: null, inputs: [] };
  const artifact = { content: canary, mediaType: 'text/plain', lineage };
  const { id: artifactId } = await artifacts.put({ id: 'other/sam' }, artifact);
  return [runId, sessionId, artifactId];
}

it(
  `${requests} requests made of the document: no server error, no hang, nothing of another tenant`,
  async () => {
    const ids = await foreignIds();
    const fuzzer = new RequestFuzzer(openApiDocument('1'), ids, seededRandom(seed));
    const statuses = new Map<number, number>();
    const failures: string[] = [];
    for (let number = 0; number < requests && failures.length < 10; number += 1) {
      const { operation, ...ask } = fuzzer.next(number);
      const what = `${number} ${operation} ${ask.method} ${ask.path} as ${ask.as} ${JSON.stringify(ask.body)?.slice(0, 500)} ${JSON.stringify(ask.headers)}`;
      try {
        const { status, text, json } = await api.send(ask);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (status >= 500) failures.push(`${what}: ${status} ${text.slice(0, 500)}`);
        if (text.includes(canary)) failures.push(`${what}: shows what belongs to another tenant`);
        if (status >= 400 && !Object.hasOwn(errorCodes, json?.code ?? '')) {
          failures.push(`${what}: ${status} without a known code: ${text.slice(0, 200)}`);
        }
      } catch (error) {
        failures.push(`${what}: ${String(error)}`);
      }
    }
    expect(failures).toEqual([]);
    // Both what fits and what does not was there.
    expect(statuses.get(200) ?? 0).toBeGreaterThan(requests / 10);
    expect(statuses.get(400) ?? 0).toBeGreaterThan(requests / 20);
    const { json } = await api.send({ path: '/api/v1/health' });
    expect(json.version).toBeTypeOf('string');
  },
  isProof ? 1_800_000 : 180_000,
);
