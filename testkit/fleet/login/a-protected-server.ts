import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { closeServer, listen, type TestAuthority } from './an-authority.ts';

export interface ProtectedServerOptions {
  readonly authority: Pick<TestAuthority, 'issuer' | 'check'>;
  /** Members of the resource metadata that replace the usual ones. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Where the metadata is: at the path of the server, at the root, or only where the challenge says. */
  readonly metadataAt?: 'path' | 'root' | 'challenge';
  /** The value of `resource_metadata` in the challenge; `false` for a challenge without. */
  readonly challengeMetadata?: string | false;
}

export interface ProtectedServer {
  readonly url: string;
  readonly origin: string;
  /** The value of the `Authorization` header of every MCP request; empty for none. */
  readonly authorizations: string[];
  /** Tool calls that were executed, as `account tool`. */
  readonly calls: string[];
  close(): Promise<void>;
}

const paths = {
  path: '/.well-known/oauth-protected-resource/mcp',
  root: '/.well-known/oauth-protected-resource',
  challenge: '/elsewhere/metadata.json',
};

/** An MCP server of the official SDK that wants a token of the authority. `write` needs the scope `write`. */
export async function aProtectedServer(options: ProtectedServerOptions): Promise<ProtectedServer> {
  const authorizations: string[] = [];
  const calls: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url?.split('?')[0];
    if (path === paths[options.metadataAt ?? 'path']) {
      const document = {
        resource: `${origin}/mcp`,
        authorization_servers: [options.authority.issuer],
        scopes_supported: ['read'],
        ...options.metadata,
      };
      response.setHeader('content-type', 'application/json').end(JSON.stringify(document));
    } else if (path === '/mcp') {
      authorizations.push(request.headers.authorization ?? '');
      void answer({ request, response }, { ...options, origin, calls });
    } else response.writeHead(404).end();
  });
  const origin = await listen(server);
  const close = (): Promise<void> => closeServer(server);
  return { url: `${origin}/mcp`, origin, authorizations, calls, close };
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

interface Place extends ProtectedServerOptions {
  readonly origin: string;
  readonly calls: string[];
}

async function answer({ request, response }: Exchange, place: Place): Promise<void> {
  const { authority, origin, calls } = place;
  const refuse = (status: 401 | 403, parameters: string): void => {
    const isNamed = place.metadataAt === 'challenge' && `${origin}${paths.challenge}`;
    const named = place.challengeMetadata ?? isNamed;
    const metadata = typeof named === 'string' ? `resource_metadata="${named}", ` : '';
    response.writeHead(status, { 'www-authenticate': `Bearer ${metadata}${parameters}` }).end();
  };
  const token = request.headers.authorization?.replace(/^Bearer /, '') ?? '';
  const user = token === '' ? undefined : await authority.check(token, `${origin}/mcp`);
  if (!user) {
    refuse(401, token === '' ? 'scope="read"' : 'error="invalid_token", scope="read"');
    return;
  }
  const body: unknown = await readJson(request);
  const { method, params } = Object(body);
  if (method === 'tools/call') {
    if (params.name === 'write' && !user.scopes.includes('write')) {
      refuse(403, 'error="insufficient_scope", scope="write"');
      return;
    }
    calls.push(`${user.account} ${params.name}`);
  }
  const mcp = createTools(user.account);
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
  response.on('close', () => void mcp.close());
  await mcp.connect(transport);
  await transport.handleRequest(request, response, body);
}

function createTools(account: string): McpServer {
  const mcp = new McpServer({ name: 'protected', version: '1.0.0' });
  const content = [{ type: 'text' as const, text: `You are ${account}` }];
  const annotations = { readOnlyHint: true };
  mcp.registerTool('whoami', { description: 'Who calls', annotations }, () => ({ content }));
  mcp.registerTool('write', { description: 'Needs the scope write' }, () => ({ content }));
  return mcp;
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString('utf8');
  return text === '' ? undefined : JSON.parse(text);
}
