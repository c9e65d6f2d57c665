import type { McpServer } from '../../contract/server/index.ts';
import { systemClock, type Clock } from '../../kernel/index.ts';
import { createToolboxServer } from '../toolbox-server.ts';
import { getDocsTool } from './get-docs-tool.ts';
import { resolveLibraryTool } from './resolve-library-tool.ts';
import { type FindContext7, Context7Engine } from './context7.ts';
import { IndexCache } from './library-index.ts';
import type { DocsContext } from './search-installed.ts';
import { InstalledLibraries, type InstalledLibrariesOptions } from './find/installed-libraries.ts';

export interface DocsServerOptions extends InstalledLibrariesOptions {
  readonly version: string;
  readonly findContext7: FindContext7;
  readonly clock?: Clock;
  /** How long Context7 may take. */
  readonly context7LimitMs?: number;
}

/** The server `docs`: what the libraries of a project say about themselves. */
export function createDocsServer(options: DocsServerOptions): McpServer {
  const { version, findContext7, clock = systemClock, limits, context7LimitMs } = options;
  const context: DocsContext = {
    installed: new InstalledLibraries(options),
    indexes: new IndexCache(clock, limits),
    context7: new Context7Engine({
      find: findContext7,
      clock,
      ...(context7LimitMs !== undefined && { limitMs: context7LimitMs }),
    }),
  };
  return createToolboxServer({
    name: 'docs',
    title: 'Library documentation',
    version,
    instructions:
      'Documentation of the libraries a project uses, in the versions it has installed: resolve_library finds one by ' +
      'name, get_docs gives the passages that answer a question. Works without a network.',
    tools: [resolveLibraryTool(context), getDocsTool(context)],
  });
}
