import { delimiter, isAbsolute, join } from 'node:path';
import type { Catalogue } from '../contract/catalogue/index.ts';
import type { CallContext } from '../contract/server/index.ts';
import type { ToolResult } from '../contract/tool/index.ts';
import type { Context7, Context7Text, FindContext7 } from '../toolbox/docs/index.ts';
import { type SettingsRequest, surroundingsOf } from './settings.ts';

const resolveTool = 'resolve-library-id';
const queryTool = 'query-docs';

type Tools = Pick<Catalogue, 'entries' | 'callTool' | 'unlisted'>;

/** The first server of the fleet with the tools of Context7, whatever it is called there. */
export function findContext7In(catalogue: () => Tools): FindContext7 {
  return async () => {
    const tools = catalogue();
    const entries = await tools.entries();
    const nameOf = (server: string, tool: string): string | undefined =>
      entries.find((entry) => entry.server === server && entry.tool.name === tool)?.wireName;
    for (const { server } of entries) {
      const [resolve, query] = [nameOf(server, resolveTool), nameOf(server, queryTool)];
      if (resolve === undefined || query === undefined) continue;
      const context7: Context7 = {
        resolve: ({ name, query: topic }, context) =>
          callForText(tools, { tool: resolve, args: { libraryName: name, query: topic } }, context),
        query: ({ library, query: topic }, context) =>
          callForText(tools, { tool: query, args: { libraryId: library, query: topic } }, context),
      };
      return { kind: 'found', context7 };
    }
    return { kind: 'none', unlisted: tools.unlisted?.() ?? [] };
  };
}

async function callForText(
  tools: Tools,
  { tool, args }: { readonly tool: string; readonly args: object },
  { caller, signal, progress, meta }: CallContext,
): Promise<Context7Text> {
  // Neither the client nor its task: the question is ours, and its answer has to come at once.
  const result = await tools.callTool(tool, args, { caller, signal, progress, meta });
  return { text: textOf(result), isError: result.isError ?? false };
}

function textOf({ content }: ToolResult): string {
  return content
    .map((block) => (typeof block['text'] === 'string' ? block['text'] : ''))
    .join('\n');
}

/** Where Maven and Linux distributions keep jars. */
export function javaLibraries(request: SettingsRequest): string[] {
  return [join(surroundingsOf(request).homeDirectory, '.m2', 'repository'), '/usr/share/java'];
}

/** Where Python and Go keep packages that do not lie in the project. */
export function installationsOutside(request: SettingsRequest): {
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
