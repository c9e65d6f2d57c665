import type { HttpGateway, HttpGatewayOptions } from './http/http-gateway.ts';

export type { HttpGateway, HttpGatewayOptions } from './http/http-gateway.ts';
export { isLoopback } from './http/guard.ts';
export { serveStdio, type StdioGateway, type StdioOptions } from './serve-stdio.ts';

/** Serves MCP over HTTP. Loads `node:http` only here: who speaks stdio does not pay for it. */
export async function createHttpGateway(options: HttpGatewayOptions): Promise<HttpGateway> {
  const { startHttpGateway } = await import('./http/http-gateway.ts');
  return startHttpGateway(options);
}
