import type { HttpGateway, HttpGatewayOptions } from './http/http-gateway.ts';

export type { HttpGatewayOptions } from './http/http-gateway.ts';
export { serveStdio, type StdioGateway, type StdioOptions } from './serve-stdio.ts';

/** Serves MCP over HTTP. Loads `node:http` only here, so that stdio does not pay for it. */
export async function createHttpGateway(options: HttpGatewayOptions): Promise<HttpGateway> {
  const { startHttpGateway } = await import('./http/http-gateway.ts');
  return startHttpGateway(options);
}
