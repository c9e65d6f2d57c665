import { describe, expect, it } from 'vitest';
import { aCallContext } from '../../../../testkit/toolbox/call-context.ts';
import { aCodeContext } from '../../../../testkit/toolbox/code-context.ts';
import { scanDependenciesTool } from './scan-dependencies-tool.ts';
import type { Disturbance } from '../../../../testkit/toolbox/code/vulnerabilities/osv-server.ts';
import {
  anOsvServer,
  aScannedProject,
  quick,
} from '../../../../testkit/toolbox/code/vulnerabilities/scanned-project.ts';

describe('a scan against the OSV API', () => {
  it('reads all pages, asks in batches of at most 1000 and reads each record once', async () => {
    const { put, scanWith } = await aScannedProject();
    const { server, osvUrl } = await anOsvServer({ pageSize: 1 });
    const lines = Array.from({ length: 2_500 }, (_, index) => `package-${index}==1.0`);
    await put('project/requirements.txt', lines.join('\n'));
    const found = await scanWith({ osvUrl });
    expect(found.vulnerabilities).toHaveLength(4);
    expect(found.packages_scanned).toBe(2_504);
    expect(Math.max(...server.batchSizes)).toBe(1_000);
    const reads = server.requests.filter((request) => request.startsWith('GET'));
    expect(new Set(reads).size).toBe(reads.length);
  });

  it('tries again after 429 and 5xx, waiting as long as it is told but never too long', async () => {
    const { scanWith } = await aScannedProject();
    const pauses: number[] = [];
    const { osvUrl } = await anOsvServer({
      disturb: (_, response, count) => {
        if (count > 3) return false;
        response.writeHead(
          count === 1 ? 429 : 503,
          count === 2 ? {} : { 'retry-after': count === 1 ? '2' : '9999' },
        );
        response.end('busy');
        return true;
      },
    });
    const pause = async (ms: number): Promise<void> => void pauses.push(ms);
    const found = await scanWith({ osvUrl }, { path: 'project' }, { pause });
    expect(found.vulnerabilities).toHaveLength(4);
    expect(pauses).toEqual([2_000, 500, 5_000]);
  });
});

describe('a scan that cannot ask the OSV API', () => {
  const send =
    (status: number, body: string): Disturbance =>
    (_, response) => {
      response.writeHead(status);
      response.end(body);
      return true;
    };

  it.each([
    ['answers 500 for ever', { disturb: send(500, 'no') }, 'HTTP 500 for /v1/querybatch'],
    ['refuses the request', { disturb: send(400, 'no') }, 'HTTP 400'],
    ['answers with no JSON', { disturb: send(200, '<html>') }, 'is not JSON'],
    [
      'answers with another form',
      { disturb: send(200, '{"results": 3}') },
      'does not have the OSV form',
    ],
    ['answers too little', { disturb: send(200, '{"results": []}') }, '0 results for 4 queries'],
    ['has no such record', { records: [] }, 'HTTP 404 for /v1/vulns/'],
    [
      'never stops paging',
      {
        disturb: send(
          200,
          JSON.stringify({ results: Array.from({ length: 4 }, () => ({ next_page_token: 'x' })) }),
        ),
      },
      'more pages',
    ],
  ] as const)(
    'because it %s fails with the way to the offline folder',
    async (_, options, problem) => {
      const { scanWith } = await aScannedProject();
      const { osvUrl } = await anOsvServer(options);
      const scan = scanWith({ osvUrl });
      await expect(scan).rejects.toMatchObject({ code: 'code.osv_unreachable', retryable: true });
      await expect(scan).rejects.toThrow(problem);
      await expect(scan).rejects.toThrow('tools.dependencies.osv_dir');
    },
  );

  it('because nobody listens says so', async () => {
    const { scanWith } = await aScannedProject();
    const { server, osvUrl } = await anOsvServer();
    await server.stop();
    await expect(scanWith({ osvUrl })).rejects.toThrow('ECONNREFUSED');
  });

  it('because it never answers gives up after the time limit of each attempt', async () => {
    const { scanWith } = await aScannedProject();
    const { server, osvUrl } = await anOsvServer({ disturb: () => true });
    const api = { ...quick, requestTimeoutMs: 30, maxAttempts: 2 };
    await expect(scanWith({ osvUrl }, { path: 'project' }, api)).rejects.toThrow('within 30 ms');
    expect(server.requests).toHaveLength(2);
  });

  it('ends at once, with the reason given, when the caller cancels', async () => {
    const { folder } = await aScannedProject();
    const cancel = new AbortController();
    const { osvUrl } = await anOsvServer({
      disturb: () => {
        cancel.abort(new Error('enough'));
        return true;
      },
    });
    const tool = scanDependenciesTool(aCodeContext([folder], { osvUrl }));
    const call = tool.call({ path: 'project' }, aCallContext({ signal: cancel.signal }));
    await expect(call).rejects.toThrow('enough');
  });
});
