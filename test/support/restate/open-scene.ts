import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { localCaller } from '../../../src/contract/caller/index.ts';
import type { EngineName, RunView } from '../../../src/contract/run/index.ts';
import { createProcessOwner, silentLog, type ProcessOwner } from '../../../src/kernel/index.ts';
import type { RestateWorker } from '../../../src/workflow/restate/index.ts';
import { isCi } from '../../../testkit/sample.ts';
import { startCountedTools, type CountedTools } from './counted-tools.ts';
import { openRig, type Rig, type RigOptions } from './open-rig.ts';
import { findRestateServer, startRestateServer, type RestateServer } from './restate-server.ts';

const program = findRestateServer();

/** Why tests with Restate cannot run here; null when they can. In CI that is a failure. */
export const skipReason =
  program === undefined ? 'the Restate server is missing: run make test' : null;
if (isCi && skipReason !== null) throw new Error(skipReason);

/** A Restate server, counted tools, and a data directory on which runs are started. */
export interface Scene {
  readonly owner: ProcessOwner;
  readonly server: RestateServer;
  readonly tools: CountedTools;
  /** Of workers on the same data directory. */
  readonly options: Omit<RigOptions, 'log'>;
  readonly rig: Rig;
  start(plan: unknown, how?: StartOptions): Promise<string>;
  /** Until the run is over or waits for somebody. */
  follow(runId: string): Promise<RunView>;
  close(): Promise<void>;
}

export interface StartOptions {
  readonly engine?: EngineName;
  readonly input?: Readonly<Record<string, number>>;
}

const followLimitMs = 40_000;

export async function openScene(): Promise<Scene> {
  const folder = mkdtempSync(join(tmpdir(), 'tutti-restate-'));
  const owner = createProcessOwner({ runDirectory: join(folder, 'run'), log: silentLog });
  const server = await startRestateServer(owner, program ?? '', folder);
  const tools = await startCountedTools();
  const { ingressUrl, adminUrl, identityKey } = server;
  const home = join(folder, 'home');
  const options = { home, toolsUrl: tools.url, ingressUrl, adminUrl, identityKey };
  const rig = openRig(options);
  return {
    owner,
    server,
    tools,
    options,
    rig,
    async start(plan, { engine = 'restate', input = {} } = {}) {
      const source = { kind: 'data', plan } as const;
      return (await rig.workflows.start(localCaller, { source, input, engine })).runId;
    },
    follow(runId) {
      const signal = AbortSignal.timeout(followLimitMs);
      return rig.workflows.follow(localCaller, runId, { execute: true, signal });
    },
    async close() {
      await rig.close();
      await tools.close();
      await owner.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A worker in this process, on a connection to the database of its own. */
export async function openWorker(options: RigOptions, port = 0): Promise<RestateWorker> {
  const rig = openRig(options);
  const worker = await rig.restate.serveWorker({ host: '127.0.0.1', port });
  return {
    url: worker.url,
    close: async () => {
      await worker.close();
      await rig.close();
    },
  };
}
