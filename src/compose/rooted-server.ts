import type { McpServer } from '../contract/server/index.ts';
import type { Roots } from './roots.ts';

interface Opened {
  readonly roots: readonly string[];
  readonly server: Promise<McpServer>;
  calls: number;
  hasFailed: boolean;
  isRetired: boolean;
}

/**
 * A server that is opened anew when the roots change. Calls that run go on with the roots they began
 * with; the old server is closed when the last of them has ended.
 */
export async function openRooted(
  roots: Pick<Roots, 'current'>,
  open: (roots: readonly string[]) => Promise<McpServer>,
): Promise<McpServer> {
  const openAt = (folders: readonly string[]): Opened => {
    const server = open(folders);
    const made = { roots: folders, server, calls: 0, hasFailed: false, isRetired: false };
    server.catch(() => (made.hasFailed = true));
    return made;
  };
  let opened = openAt(await roots.current());
  const first = await opened.server;

  const closeUnused = async (old: Opened): Promise<void> => {
    if (old.isRetired && old.calls === 0) await old.server.then((server) => server.close());
  };
  const use = async <Result>(work: (server: McpServer) => Promise<Result>): Promise<Result> => {
    const folders = await roots.current();
    if (folders !== opened.roots || opened.hasFailed) {
      const old = opened;
      opened = openAt(folders);
      old.isRetired = true;
      void closeUnused(old).catch(() => {});
    }
    const used = opened;
    used.calls += 1;
    try {
      return await work(await used.server);
    } finally {
      used.calls -= 1;
      void closeUnused(used).catch(() => {});
    }
  };
  return {
    name: first.name,
    title: first.title,
    version: first.version,
    ...(first.instructions !== undefined && { instructions: first.instructions }),
    listTools: () => use((server) => server.listTools()),
    callTool: (...given) => use((server) => server.callTool(...given)),
    listResources: () => use((server) => server.listResources()),
    listResourceTemplates: () => use((server) => server.listResourceTemplates()),
    readResource: (...given) => use((server) => server.readResource(...given)),
    listPrompts: () => use((server) => server.listPrompts()),
    getPrompt: (...given) => use((server) => server.getPrompt(...given)),
    complete: (...given) => use((server) => server.complete(...given)),
    // What these servers offer does not depend on the roots.
    onChange: (listener) => first.onChange(listener),
    close: async () => (await opened.server).close(),
  };
}
