import type { Settings } from '../config/index.ts';
import type { Models } from '../contract/model/index.ts';
import type { McpServer } from '../contract/server/index.ts';
import { systemTimers } from '../kernel/index.ts';
import type { OpenGeneration } from '../toolbox/code/index.ts';

interface GenerationParts {
  readonly settings: { readonly tools: Pick<Settings['tools'], 'code_generation'> };
  readonly models: Pick<Models, 'find' | 'structured'>;
  /** The project, whose TypeScript compiler is used. */
  readonly request: { readonly cwd: string };
  /** Opens servers of ours beside those of the catalogue, by name: `exec`, `standards`, `docs`. */
  readonly servers: Readonly<Record<string, () => Promise<McpServer>>>;
}

/**
 * What writes code and checks it. Its checks call servers of its own: those of the catalogue can be disabled, and give
 * places to so many calls at once that calls which wait for others could take them all.
 */
export function openGenerationWith(parts: GenerationParts): OpenGeneration {
  const { models, request } = parts;
  const settings = parts.settings.tools.code_generation;
  return async (callOwnTool) => {
    const [{ createGeneration }, { createScaffolds }, { checkTypes, SyntaxTrees }] =
      await Promise.all([
        import('../agent/generate/index.ts'),
        import('../agent/scaffold/index.ts'),
        import('../toolbox/code/index.ts'),
      ]);
    const opened = new Map<string, Promise<McpServer>>();
    const serverOf = (name: string): Promise<McpServer> => {
      const open = parts.servers[name];
      if (!open) throw new RangeError(`there is no server "${name}" to check code with`);
      const server = opened.get(name) ?? open();
      opened.set(name, server);
      return server;
    };
    const generation = createGeneration({
      models,
      parser: new SyntaxTrees(),
      tools: {
        call: async (name, args, context) => {
          const [server = '', tool = ''] = name.split('.');
          if (server === 'code') return callOwnTool(tool, args, context);
          return (await serverOf(server)).callTool(tool, args, context);
        },
      },
      limits: {
        maxNewTokens: settings.max_new_tokens,
        stopSequences: settings.stop_sequences,
      },
      maxRepairs: settings.max_repairs,
      suiteWallMs: settings.test_seconds * 1_000,
      types: {
        check: (text, signal) => checkTypes(text, [request.cwd], signal),
      },
      scaffolds: createScaffolds(),
      timers: systemTimers,
    });
    const close = async (): Promise<void> => {
      for (const server of opened.values()) await (await server).close();
    };
    return { ...generation, close };
  };
}
