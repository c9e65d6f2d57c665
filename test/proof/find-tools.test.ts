import { afterAll, expect, it } from 'vitest';
import { silentLog } from '../../src/kernel/index.ts';
import { createLocalEmbedder } from '../../src/models/index.ts';
import { ToolSearch } from '../../src/toolbox/admin/index.ts';
import { manyTools, toolRequests, type ToolRequest } from '../support/find-tools-corpus.ts';
import { haveRealServers } from '../support/real-servers.ts';
import { isCi, isProof, sampleSeeded } from '../../testkit/sample.ts';

const timeoutMs = 900_000;
/** Embedding a tool takes about 50 ms of CPU, so the sample has fewer of them. */
const toolCount = isProof ? 1_000 : 250;
const sampledRequests = 60;
const wantedRecall = 0.95;

const embedder = createLocalEmbedder();
afterAll(() => embedder.close());

// `make test` installs the servers of others, whose tools are searched; `npm test` alone does without.
it.skipIf(!haveRealServers && !isCi)(
  'finds a right tool among the first five for 95 of 100 requests',
  async () => {
    const entries = await manyTools(toolCount);
    const requests = sampleSeeded(toolRequests(), sampledRequests);
    expect(requests.filter(({ tools }) => !tools.some((name) => isListed(name)))).toEqual([]);
    const search = new ToolSearch({
      entries: async () => entries,
      tools: embedder,
      queries: embedder,
      log: silentLog,
    });
    const missed: ToolRequest[] = [];
    for (const request of requests) {
      if (!(await finds(search, request))) missed.push(request);
    }
    const recall = 1 - missed.length / requests.length;
    console.log(
      `find_tools: ${requests.length - missed.length} of ${requests.length} requests (${(100 * recall).toFixed(1)} %)`,
    );
    expect(recall, JSON.stringify(missed, null, 1)).toBeGreaterThanOrEqual(wantedRecall);

    function isListed(name: string): boolean {
      return entries.some((entry) => entry.name === name);
    }
  },
  timeoutMs,
);

async function finds(search: ToolSearch, { request, tools }: ToolRequest): Promise<boolean> {
  const { signal } = new AbortController();
  const patience = { toolsMs: timeoutMs, queryMs: timeoutMs };
  const found = await search.find({ query: request, count: 5, signal, patience });
  return found.tools.some(({ entry }) => tools.includes(entry.name));
}
