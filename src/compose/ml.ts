import { cpus, homedir, totalmem } from 'node:os';
import { join } from 'node:path';
import type { Settings } from '../config/index.ts';
import type { Artifacts } from '../contract/artifact/index.ts';
import type { Experience } from '../contract/experience/index.ts';
import type { PreviewEffect } from '../contract/tool/index.ts';
import type { ServerEntry } from '../fleet/index.ts';
import {
  createFaultPoints,
  createProcessOwner,
  lazy,
  Semaphore,
  systemClock,
  type Log,
  type ProcessOwner,
} from '../kernel/index.ts';
import type { Store } from '../store/index.ts';
import type { MlParts } from '../toolbox/ml/index.ts';
import { offerKey } from './offer-key.ts';
import { programRunner } from './program-runner.ts';
import { openRooted } from './rooted-server.ts';
import { trainingEngines } from './training-engines.ts';
import type { Roots } from './roots.ts';
import type { SandboxHere } from './sandbox.ts';
import type { SettingsRequest } from './settings.ts';

interface MlServerParts {
  readonly settings: Settings;
  readonly version: string;
  readonly log: Log;
  readonly request: SettingsRequest;
  readonly roots: Pick<Roots, 'current'>;
  readonly sandbox: SandboxHere;
  readonly store: Pick<Store, 'modelIndex'>;
  readonly artifacts: () => Promise<Artifacts>;
  readonly experience: Experience;
}

/** Trainings have time limits of their own and report progress. */
const timeoutMs = 3_600_000;
const maxRunning = 4;
const dayMs = 86_400_000;
/** Of the memory of this machine, for one job. */
const memoryShare = 0.75;
const maxDiskBytes = 20e9;
const maxFetchMs = 600_000;

interface MlHere {
  readonly entry: ServerEntry;
  /** Shows what a call would install. */
  readonly preview: PreviewEffect;
}

const name = 'ml';

export function mlHere(parts: MlServerParts): MlHere {
  return {
    entry: mlServer(parts),
    preview: async ({ server, tool, args }, signal) => {
      if (server !== name) return undefined;
      const { createMlServer } = await import('../toolbox/ml/index.ts');
      const { owner, ...shared } = await partsHere(parts);
      try {
        return await createMlServer({ ...shared, roots: [] }).preview(tool, args, { signal });
      } finally {
        await owner.close();
      }
    },
  };
}

/** The server `ml`: datasets, training and trained models. */
function mlServer(parts: MlServerParts): ServerEntry {
  const { settings, version, roots } = parts;
  const { max_waiting_requests: maxWaiting } = settings.performance;
  return {
    name,
    cacheKey: offerKey(import.meta.url, [version]),
    semaphore: new Semaphore({ maxConcurrent: maxRunning, maxWaiting }),
    timeoutMs,
    // Those who train ask for it; everyone else would carry its schemas in each conversation.
    isListed: false,
    open: async () => {
      const { createMlServer } = await import('../toolbox/ml/index.ts');
      const { owner, ...shared } = await partsHere(parts);
      const server = await openRooted(roots, async (folders) =>
        createMlServer({ ...shared, roots: folders }),
      );
      const close = async (): Promise<void> => {
        await server.close();
        await owner.close();
      };
      return { ...server, close };
    },
  };
}

async function partsHere(
  parts: MlServerParts,
): Promise<Omit<MlParts, 'roots'> & { readonly owner: ProcessOwner }> {
  const { settings, version, store, artifacts, experience, request } = parts;
  const { createModelStore } = await import('../artifacts/index.ts');
  const log = parts.log.child({ server: 'ml' });
  const sandbox = parts.sandbox.get;
  const faults = createFaultPoints(request.env['TUTTI_FAULT']);
  const runDirectory = join(settings.home, 'run', 'programs');
  const owner = createProcessOwner({ runDirectory, log });
  const runProgram = programRunner(owner, request.env);
  const { training } = settings.tools;
  const surroundings = { searchPath: request.env['PATH'] ?? '', homeDirectory: homedir() };
  const engines = { settings, version, log, sandbox, faults, runProgram, surroundings };
  return {
    owner,
    version,
    home: settings.home,
    artifacts,
    models: createModelStore({ index: store.modelIndex, artifacts, clock: systemClock }),
    engines: lazy(() => trainingEngines(engines)),
    experience,
    fetchDocument: training.network ? fetchDocument : undefined,
    runProgram,
    sandbox,
    surroundings,
    packagePolicy: {
      network: training.network,
      indexUrl: training.package_index,
      wheelDirectory: training.wheel_dir,
      sourceBuilds: training.source_builds,
    },
    limits: {
      wallMs: dayMs,
      memoryBytes: Math.floor(totalmem() * memoryShare),
      diskBytes: maxDiskBytes,
      threads: Math.max(1, cpus().length),
    },
    clock: systemClock,
    log,
  };
}

const fetchDocument: MlParts['fetchDocument'] = async (url, { maxBytes, signal }) => {
  const { fetchChecked } = await import('../http/index.ts');
  const answer = await fetchChecked(url, { signal, limits: { maxBytes, totalMs: maxFetchMs } });
  return new Uint8Array(await answer.arrayBuffer());
};
