import type { HttpExchange, Route } from '../http/index.ts';
import { lazy } from '../kernel/index.ts';
import type { ApiPorts } from './ports.ts';
import { problemRefusal } from './errors.ts';

export type { ApiPorts } from './ports.ts';

/** The REST API, to mount on a listener. */
export interface Api {
  readonly routes: readonly Route[];
  /** Ends the streams of runs, and waits for turns of the agent that are under way, `limitMs` at most. */
  drain(limitMs: number): Promise<void>;
  /** Ends every event stream. */
  close(): Promise<void>;
}

/** All of them: the API itself says which ones a path has. */
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Loads nothing before the first request: a server that only speaks MCP does not pay for it. */
export function createApi(ports: ApiPorts): Api {
  const app = lazy(async () => (await import('./app.ts')).createApp(ports));
  const pages = lazy(async () => {
    const { createPages } = await import('./document/docs-pages.ts');
    return createPages(ports.version);
  });
  const page = (path: string, name: 'document' | 'docs' | 'script'): Route => ({
    path,
    methods: ['GET', 'HEAD'],
    // The same for all servers of this version, so it is for everyone to read.
    access: 'open',
    refusals: problemRefusal,
    handle: async (exchange: HttpExchange) => (await pages()).send(exchange, name),
  });
  return {
    routes: [
      {
        path: '/api/v1/*',
        methods,
        access: 'caller',
        refusals: problemRefusal,
        handle: async (exchange, caller) => (await app()).handle(exchange, caller),
      },
      page('/api/openapi.json', 'document'),
      page('/api/docs', 'docs'),
      page('/api/docs.js', 'script'),
    ],
    drain: async (limitMs) => (await app.opened())?.drain(limitMs),
    close: async () => (await app.opened())?.close(),
  };
}

/** The OpenAPI document and what is made of it, for the files in docs/. */
export async function loadDocuments(version: string): Promise<{
  readonly openapi: object;
  readonly postman: object;
}> {
  const [{ openApiDocument }, { postmanCollection }] = await Promise.all([
    import('./document/openapi-document.ts'),
    import('./document/postman-collection.ts'),
  ]);
  const openapi = openApiDocument(version);
  return { openapi, postman: postmanCollection(openapi) };
}
