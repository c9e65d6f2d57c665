import { join } from 'node:path';
import type { Credentials } from '../access/index.ts';
import type { Settings } from '../config/index.ts';
import type { Artifacts } from '../contract/artifact/index.ts';
import type { Catalogue } from '../contract/catalogue/index.ts';
import type { PreviewEffect } from '../contract/tool/index.ts';
import type { EngineName, Workflows } from '../contract/run/index.ts';
import {
  createFaultPoints,
  lazy,
  lazyObject,
  systemClock,
  systemTimers,
  type Log,
} from '../kernel/index.ts';
import type { Tracing } from '../observe/index.ts';
import type { Store } from '../store/index.ts';
import type { Recording } from './record-attempts.ts';
import type { Roots } from './roots.ts';
import type { SettingsRequest } from './settings.ts';

export interface WorkflowParts {
  readonly settings: Settings;
  readonly log: Log;
  readonly tracing: Tracing;
  readonly store: Store;
  readonly request: SettingsRequest;
  /** The folder that this process works in. */
  readonly roots: Pick<Roots, 'folder'>;
  /** What the steps of plans call. */
  readonly catalogue: () => Catalogue;
  /** Shows what a call would do before it is approved. */
  readonly preview?: PreviewEffect;
  /** What the runs of callers may do. Without it only the user at this machine has runs. */
  /** Reported to after each step. */
  readonly recording?: Recording;
  readonly access?: Pick<Credentials, 'grantRun' | 'runCaller'> | undefined;
}

/** Plans and runs of this process: nothing of them is loaded before it is used. */
export interface WorkflowsHere {
  readonly workflows: Workflows;
  readonly artifacts: () => Promise<Artifacts>;
  /** Others may need this process for long: what was left unfinished is resumed in the background. */
  serve(): void;
  /** Executes runs until the signal aborts. */
  work(options: WorkOptions): Promise<void>;
  /** Runs that this process executes. */
  count(): Promise<number>;
  close(): Promise<void>;
}

export interface WorkOptions {
  readonly engine?: EngineName;
  readonly signal: AbortSignal;
  readonly onReady: (worker: { readonly engine: EngineName; readonly url: string | null }) => void;
}

/** The first answers of a server come first. */
const resumeAfterMs = 1_000;

export function workflowsHere(parts: WorkflowParts): WorkflowsHere {
  let isServing = false;
  let isClosed = false;
  const artifacts = lazy(() => openArtifactsHere(parts));
  const open = lazy(async () => {
    const { openWorkflows } = await import('./open-workflows.ts');
    const opened = openWorkflows({ ...parts, artifacts: await artifacts() });
    if (isServing) opened.resumeUnfinished();
    return opened;
  });
  const resume = async (): Promise<void> => {
    // Without a database there is nothing that was left unfinished.
    if (isClosed || !parts.store.exists()) return;
    (await open()).resumeUnfinished();
  };
  let cancelResume = (): void => {};
  return {
    workflows: lazyObject<Workflows>(
      lazy(async () => (await open()).workflows),
      {},
    ),
    artifacts,
    serve() {
      isServing = true;
      cancelResume();
      cancelResume = systemTimers.after(resumeAfterMs, () => {
        resume().catch((error: unknown) => {
          parts.log.warn('failed to resume unfinished runs', { error });
        });
      });
    },
    work: async (options) => (await open()).work(options),
    count: async () => (await open.opened())?.count() ?? 0,
    async close() {
      isClosed = true;
      cancelResume();
      await (await open.opened())?.close();
    },
  };
}

/** No file is touched before an artifact is written or read. */
export async function openArtifactsHere(
  parts: Pick<WorkflowParts, 'settings' | 'store' | 'log' | 'request'>,
): Promise<Artifacts> {
  const { settings, store, log, request } = parts;
  const { openArtifacts } = await import('../artifacts/index.ts');
  return openArtifacts({
    directory: join(settings.home, 'artifacts'),
    index: store.artifactIndex,
    clock: systemClock,
    log: log.child({ room: 'artifacts' }),
    faultPoint: createFaultPoints(request.env['TUTTI_FAULT']),
  });
}
