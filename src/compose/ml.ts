import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import type { Settings } from '../config/index.ts';
import type { Artifacts } from '../contract/artifact/index.ts';
import type { Experience } from '../contract/experience/index.ts';
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
const stopGraceMs = 2_000;
const maxOutputChars = 1_000_000;

/** The server `ml`: datasets, training and trained models. */
export function mlServer(parts: MlServerParts): ServerEntry {
  const { settings, version, roots } = parts;
  const { max_waiting_requests: maxWaiting } = settings.performance;
  return {
    name: 'ml',
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
  return {
    owner,
    version,
    home: settings.home,
    artifacts,
    models: createModelStore({ index: store.modelIndex, artifacts, clock: systemClock }),
    engines: lazy(() => trainingEngines({ settings, version, log, sandbox, faults })),
    experience,
    fetchDocument,
    runProgram: programRunner(owner, request.env),
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

/** Programs of this machine, with the few variables that they and a package index need. */
function programRunner(
  owner: ProcessOwner,
  environment: SettingsRequest['env'],
): MlParts['runProgram'] {
  const kept = [
    'PATH',
    'HOME',
    'LANG',
    'PIP_INDEX_URL',
    'PIP_CONFIG_FILE',
    'UV_INDEX_URL',
    'UV_DEFAULT_INDEX',
    'HTTPS_PROXY',
    'NO_PROXY',
    'SSL_CERT_FILE',
  ];
  const usual = Object.fromEntries(
    kept.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]]])),
  );
  return async ([command = '', ...args], { timeoutMs: limitMs, signal, env = {} }) => {
    const program = await owner.start({ command, args, env: { ...usual, ...env } });
    program.stdin.end();
    const texts = { stdout: '', stderr: '' };
    for (const stream of ['stdout', 'stderr'] as const) {
      program[stream].setEncoding('utf8').on('data', (text: string) => {
        texts[stream] = (texts[stream] + text).slice(-maxOutputChars);
      });
    }
    const ended = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
    const stop = (): void => void program.stop(stopGraceMs);
    ended.addEventListener('abort', stop, { once: true });
    const { exitCode } = await program.exited.finally(() =>
      ended.removeEventListener('abort', stop),
    );
    signal.throwIfAborted();
    return { exitCode, ...texts };
  };
}
