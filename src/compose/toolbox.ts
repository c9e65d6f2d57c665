import { delimiter, isAbsolute, join } from 'node:path';
import type { Settings } from '../config/index.ts';
import type { Catalogue } from '../contract/catalogue/index.ts';
import type { Models } from '../contract/model/index.ts';
import type { ServerEntry } from '../fleet/index.ts';
import { Gate, type Log } from '../kernel/index.ts';
import { createCodeScanner } from './check-code.ts';
import { findContext7In } from './find-context7.ts';
import { openGenerationWith } from './generation.ts';
import { offerKey } from './offer-key.ts';
import { defaultLimitsOf, type SandboxHere } from './sandbox.ts';
import { surroundingsOf, type SettingsRequest } from './settings.ts';

export interface ToolboxOptions {
  readonly settings: Settings;
  readonly version: string;
  readonly log: Log;
  /** Where the servers work. */
  readonly request: SettingsRequest;
  /** The catalogue these servers will be a part of. */
  readonly catalogue: () => Catalogue;
  readonly sandbox: SandboxHere;
  /** Who writes code; without them nothing is offered that writes any. */
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
      const { format, code_review, dependencies } = settings.tools;
      const here = {
        version,
        roots: settings.roots,
        standardsDirectory: standardsDirectory(request.cwd),
        settings: {
          lineLength: format.line_length,
          maxIssues: code_review.max_issues,
          severityLevels: code_review.severity_levels,
          osvUrl: dependencies.osv_url,
          osvDirectory: dependencies.osv_dir,
        },
      };
      return createThreadedCodeServer(here, openGeneration);
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

function docsServer({ settings, version, request, catalogue }: ToolboxOptions): ServerEntry {
  const { max_concurrent_requests: maxConcurrent, max_waiting_requests: maxWaiting } =
    settings.performance;
  return {
    name: 'docs',
    cacheKey: offerKey(import.meta.url, [version]),
    // Places of its own: a call that asks Context7 must not hold the place that question needs.
    gate: new Gate({ maxConcurrent, maxWaiting }),
    open: async () => {
      const { createDocsServer } = await import('../toolbox/docs/index.ts');
      return createDocsServer({
        version,
        roots: settings.roots,
        outside: installationsOutside(request),
        findContext7: findContext7In(catalogue),
      });
    },
  };
}

/** Programs have time limits of their own, and may wait for a place. */
const execTimeoutMs = 3_600_000;

function execServer({ settings, version, sandbox, request }: ToolboxOptions): ServerEntry {
  const { max_waiting_requests: maxWaiting } = settings.performance;
  return {
    name: 'exec',
    cacheKey: offerKey(import.meta.url, [version]),
    // The sandbox counts what runs; a call that waits for an answer must not keep others from running.
    gate: new Gate({ maxConcurrent: settings.sandbox.max_running + maxWaiting, maxWaiting }),
    timeoutMs: execTimeoutMs,
    open: async () => {
      const { createExecServer } = await import('../toolbox/exec/index.ts');
      const scanner = createCodeScanner(version);
      return createExecServer({
        version,
        sandbox: sandbox.get,
        scanCode: scanner.scan,
        policy: settings.sandbox.check,
        limits: defaultLimitsOf(settings),
        roots: settings.roots,
        javaLibraries: javaLibraries(request),
        close: scanner.close,
      });
    },
  };
}

/** Where Maven and Linux distributions keep jars. */
function javaLibraries(request: SettingsRequest): string[] {
  return [join(surroundingsOf(request).homeDirectory, '.m2', 'repository'), '/usr/share/java'];
}

/** Where Python and Go keep packages that do not lie in the project. */
function installationsOutside(request: SettingsRequest): {
  pythonEnvironments: string[];
  goModules: string[];
} {
  const { env, homeDirectory } = surroundingsOf(request);
  const goPaths = (env['GOPATH'] ?? '').split(delimiter).filter(Boolean);
  const goModules = [...goPaths, join(homeDirectory, 'go')].map((path) => join(path, 'pkg', 'mod'));
  const environments = [env['VIRTUAL_ENV'], '/usr/local', '/usr'];
  return {
    pythonEnvironments: environments.filter((path) => path !== undefined).filter(isAbsolute),
    goModules: [env['GOMODCACHE'] ?? '', ...goModules].filter((path) => isAbsolute(path)),
  };
}

/** Where a project keeps standards of its own. */
export function standardsDirectory(cwd: string): string {
  return join(cwd, '.tutti', 'standards');
}
