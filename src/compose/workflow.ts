import type { Settings } from '../config/index.ts';
import type { Artifacts } from '../contract/artifact/index.ts';
import type { Catalogue } from '../contract/catalogue/index.ts';
import type { PreviewEffect } from '../contract/tool/index.ts';
import type { EngineName, Workflows } from '../contract/run/index.ts';
import { systemTimers, type Log } from '../kernel/index.ts';
import type { Tracing } from '../observe/index.ts';
import type { Store } from '../store/index.ts';
import type { OpenWorkflows } from './open-workflows.ts';
import type { SettingsRequest } from './settings.ts';

export interface WorkflowParts {
  readonly settings: Settings;
  readonly log: Log;
  readonly tracing: Tracing;
  readonly store: Store;
  readonly request: SettingsRequest;
  /** What the steps of plans call. */
  readonly catalogue: () => Catalogue;
  /** Shows what a call would do before it is approved. */
  readonly preview?: PreviewEffect;
}

/** Plans and runs of this process: nothing of them is loaded before it is used. */
export interface WorkflowsHere {
  readonly workflows: Workflows;
  readonly artifacts: () => Promise<Artifacts>;
  /** Others may need this process for long: what was left unfinished is resumed in the background. */
  serve(): void;
  /** Executes runs until the signal aborts. */
  work(options: WorkOptions): Promise<void>;
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
  let openingArtifacts: Promise<Artifacts> | undefined;
  let opening: Promise<OpenWorkflows> | undefined;
  let isServing = false;
  let isClosed = false;
  const artifacts = (): Promise<Artifacts> =>
    (openingArtifacts ??= import('./artifacts.ts').then((room) => room.artifactsHere(parts)));
  const open = (): Promise<OpenWorkflows> =>
    (opening ??= import('./open-workflows.ts').then(async (room) => {
      const opened = room.openWorkflows({ ...parts, artifacts: await artifacts() });
      if (isServing) opened.resumeUnfinished();
      return opened;
    }));
  const resume = async (): Promise<void> => {
    // Without a database there is nothing that was left unfinished.
    if (isClosed || !parts.store.exists()) return;
    (await open()).resumeUnfinished();
  };
  let cancelResume = (): void => {};
  return {
    workflows: lazyWorkflows(async () => (await open()).workflows),
    artifacts,
    serve() {
      isServing = true;
      cancelResume();
      cancelResume = systemTimers.after(resumeAfterMs, () => {
        resume().catch((error: unknown) => {
          parts.log.warn('unfinished runs could not be resumed', { error });
        });
      });
    },
    work: async (options) => (await open()).work(options),
    async close() {
      isClosed = true;
      cancelResume();
      await (await opening)?.close();
    },
  };
}

function lazyWorkflows(open: () => Promise<Workflows>): Workflows {
  return {
    check: async (...given) => (await open()).check(...given),
    draw: async (...given) => (await open()).draw(...given),
    start: async (...given) => (await open()).start(...given),
    follow: async (...given) => (await open()).follow(...given),
    list: async (...given) => (await open()).list(...given),
    show: async (...given) => (await open()).show(...given),
    cancel: async (...given) => (await open()).cancel(...given),
    pause: async (...given) => (await open()).pause(...given),
    resume: async (...given) => (await open()).resume(...given),
    retry: async (...given) => (await open()).retry(...given),
    fork: async (...given) => (await open()).fork(...given),
    decide: async (...given) => (await open()).decide(...given),
    signal: async (...given) => (await open()).signal(...given),
    resolve: async (...given) => (await open()).resolve(...given),
    repair: async (...given) => (await open()).repair(...given),
  };
}
