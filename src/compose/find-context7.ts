import type { Catalogue } from '../contract/catalogue/index.ts';
import type { CallContext } from '../contract/server/index.ts';
import type { ToolResult } from '../contract/tool/index.ts';
import type { Context7, Context7Text, FindContext7 } from '../toolbox/docs/index.ts';

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
