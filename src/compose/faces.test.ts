import { PassThrough } from 'node:stream';
import { expect, it, vi } from 'vitest';
import { loadSettings } from '../config/index.ts';
import type { Catalogue } from '../contract/catalogue/index.ts';
import type { CallContext } from '../contract/server/index.ts';
import { silentLog } from '../kernel/index.ts';
import { aCatalogue, anEntry } from '../../testkit/toolbox/admin/a-catalogue.ts';
import { Metrics } from '../observe/index.ts';
import { serveStdio } from './faces.ts';

const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'a__wait' } };

/** A catalogue with one tool, which runs until it is stopped. */
function aWaitingCatalogue(calls: CallContext[]): Catalogue {
  const fake = aCatalogue([anEntry('a.wait', 'Waits.')]);
  fake.answer = (_name, _args, context) => {
    calls.push(context);
    return new Promise((_resolve, reject) => {
      context.signal.addEventListener('abort', () => reject(context.signal.reason));
    });
  };
  return fake.catalogue;
}

async function parts(calls: CallContext[]) {
  const here = { flags: {}, env: {}, cwd: '/', homeDirectory: '/', platform: process.platform };
  const { values: settings } = await loadSettings(here);
  const catalogue = aWaitingCatalogue(calls);
  const faces = { stdioCatalogue: catalogue, httpCatalogue: catalogue };
  const fleet = { status: async () => [] };
  return {
    settings,
    fleet,
    ...faces,
    log: silentLog,
    version: '1',
    metrics: new Metrics(),
    roots: { follow: () => {} },
    access: { serving: () => Promise.reject(new Error('Streams need no identity')) },
  };
}

it('stops calls that run, unanswered, before serving streams ends by the signal', async () => {
  const calls: CallContext[] = [];
  const [stdin, stdout, stop] = [new PassThrough(), new PassThrough(), new AbortController()];
  const serving = serveStdio(await parts(calls), { stdin, stdout, signal: stop.signal });
  stdin.write(`${JSON.stringify(call)}\n`);
  await vi.waitFor(() => expect(calls).toHaveLength(1));
  stop.abort();
  await serving;
  expect(calls[0]?.signal.aborted).toBe(true);
  expect(stdout.read()).toBeNull();
});

it('serves nothing on streams when the signal has aborted already', async () => {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  await serveStdio(await parts([]), { stdin, stdout, signal: AbortSignal.abort() });
  expect(stdin.isPaused()).toBe(true);
});
