import { join } from 'node:path';
import type { Settings } from '../config/index.ts';
import type { Catalogue } from '../contract/catalogue/index.ts';
import type { Models } from '../contract/model/index.ts';
import type { ServerEntry } from '../fleet/index.ts';
import { Semaphore, type Log } from '../kernel/index.ts';
import { createCodeScanner } from './check-code.ts';
import { findContext7In, installationsOutside, javaLibraries } from './find-context7.ts';
import { openGenerationWith } from './generation.ts';
import { offerKey } from './offer-key.ts';
import { openRooted } from './rooted-server.ts';
import type { Roots } from './roots.ts';
import { ceilingsOf, defaultLimitsOf, type SandboxHere } from './sandbox.ts';
import type { SettingsRequest } from './settings.ts';

export interface ToolboxOptions {
  readonly settings: Settings;
  readonly version: string;
  readonly log: Log;
  readonly roots: Roots;
  /** Where the servers work. */
  readonly request: SettingsRequest;
  /** The catalogue these servers will be a part of. */
  readonly catalogue: () => Catalogue;
  readonly sandbox: SandboxHere;
  /** Models that write code; without them no tool that generates code is offered. */
  readonly models?: Pick<Models, 'find' | 'structured'>;
}

/** The servers we ship, each loaded when it is first opened. */
export function toolboxServers(options: ToolboxOptions): readonly ServerEntry[] {
  const others = [standardsServer(options), docsServer(options), execServer(options)];
  return [codeServer(options, others), ...others];
}

function codeServer(options: ToolboxOptions, others: readonly ServerEntry[]): ServerEntry {
  const { settings, version, request, models } = options;
  const servers = Object.fromEntries(others.map(({ name, open }) => [name, open]));
  const openGeneration = models && openGenerationWith({ settings, models, servers, request });
  return {
    name: 'code',
    cacheKey: offerKey(import.meta.url, [version, settings.tools]),
    open: async () => {
      const { createThreadedCodeServer } = await import('../toolbox/code/index.ts');
      const { format, code_review, dependencies, exclude } = settings.tools;
      const here = {
        version,
        standardsDirectory: standardsDirectory(request.cwd),
        settings: {
          exclude,
          lineLength: format.line_length,
          maxIssues: code_review.max_issues,
          severityLevels: code_review.severity_levels,
          osvUrl: dependencies.osv_url,
          osvDirectory: dependencies.osv_dir,
        },
      };
      return openRooted(options.roots, async (roots) =>
        createThreadedCodeServer({ ...here, roots }, openGeneration),
      );
    },
  };
}

function standardsServer({ version, request, log }: ToolboxOptions): ServerEntry {
  return {
    name: 'standards',
    cacheKey: offerKey(import.meta.url, [version], standardsDirectory(request.cwd)),
    open: async () => {
      const { createStandardsServer } = await import('../toolbox/standards/index.ts');
      return createStandardsServer({
        version,
        directories: { project: standardsDirectory(request.cwd) },
        log: log.child({ server: 'standards' }),
        watch: true,
      });
    },
  };
}

function docsServer({
  settings,
  version,
  request,
  catalogue,
  roots: here,
}: ToolboxOptions): ServerEntry {
  const { max_concurrent_requests: maxConcurrent, max_waiting_requests: maxWaiting } =
    settings.performance;
  return {
    name: 'docs',
    cacheKey: offerKey(import.meta.url, [version]),
    // Places of its own: a call that asks Context7 must not hold the place that question needs.
    semaphore: new Semaphore({ maxConcurrent, maxWaiting }),
    open: async () => {
      const { createDocsServer } = await import('../toolbox/docs/index.ts');
      const outside = installationsOutside(request);
      const findContext7 = findContext7In(catalogue);
      return openRooted(here, async (roots) =>
        createDocsServer({ version, roots, outside, findContext7 }),
      );
    },
  };
}

/** Programs have time limits of their own, and may wait for a place. */
const execTimeoutMs = 3_600_000;

function execServer({
  settings,
  version,
  sandbox,
  request,
  roots: here,
}: ToolboxOptions): ServerEntry {
  const { max_waiting_requests: maxWaiting } = settings.performance;
  return {
    name: 'exec',
    cacheKey: offerKey(import.meta.url, [version]),
    // The sandbox counts what runs; a call that waits for an answer must not keep others from running.
    semaphore: new Semaphore({
      maxConcurrent: settings.sandbox.max_running + maxWaiting,
      maxWaiting,
    }),
    timeoutMs: execTimeoutMs,
    open: async () => {
      const { createExecServer } = await import('../toolbox/exec/index.ts');
      const own = {
        version,
        sandbox: sandbox.get,
        policy: settings.sandbox.check,
        limits: defaultLimitsOf(settings),
        ceilings: ceilingsOf(settings),
        javaLibraries: javaLibraries(request),
      };
      return openRooted(here, async (roots) => {
        const { scan: scanCode, close } = createCodeScanner(version);
        return createExecServer({ ...own, roots, scanCode, close });
      });
    },
  };
}

/** Where a project keeps standards of its own. */
export function standardsDirectory(cwd: string): string {
  return join(cwd, '.tutti', 'standards');
}
