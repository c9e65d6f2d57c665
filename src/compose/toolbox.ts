import { join } from 'node:path';
import type { Settings } from '../config/index.ts';
import type { ServerEntry } from '../fleet/index.ts';
import type { Log } from '../kernel/index.ts';
import { UnknownServersError } from './errors.ts';

export interface ToolboxOptions {
  readonly settings: Settings;
  readonly version: string;
  readonly cwd: string;
  readonly log: Log;
  /** Serve only these; all when not given. */
  readonly only?: readonly string[] | undefined;
}

/** The servers we ship, each loaded when it is first opened. */
export function toolboxServers(options: ToolboxOptions): readonly ServerEntry[] {
  const all = [codeServer(options), standardsServer(options)];
  const { only } = options;
  if (!only) return all;
  const names = all.map((entry) => entry.name);
  const unknown = only.filter((name) => !names.includes(name));
  if (unknown.length > 0) throw new UnknownServersError(unknown, names);
  return all.filter((entry) => only.includes(entry.name));
}

function codeServer({ settings, version, cwd }: ToolboxOptions): ServerEntry {
  return {
    name: 'code',
    open: async () => {
      const { createThreadedCodeServer } = await import('../toolbox/code/index.ts');
      const { format, code_review, dependencies } = settings.tools;
      return createThreadedCodeServer({
        version,
        roots: settings.roots,
        standardsDirectory: standardsDirectory(cwd),
        settings: {
          lineLength: format.line_length,
          maxIssues: code_review.max_issues,
          severityLevels: code_review.severity_levels,
          osvUrl: dependencies.osv_url,
          osvDirectory: dependencies.osv_dir,
        },
      });
    },
  };
}

function standardsServer({ version, cwd, log }: ToolboxOptions): ServerEntry {
  return {
    name: 'standards',
    open: async () => {
      const { createStandardsServer } = await import('../toolbox/standards/index.ts');
      return createStandardsServer({
        version,
        directories: { project: standardsDirectory(cwd) },
        log: log.child({ server: 'standards' }),
        watch: true,
      });
    },
  };
}

/** Where a project keeps standards of its own. */
function standardsDirectory(cwd: string): string {
  return join(cwd, '.tutti', 'standards');
}
