import type { IncomingHttpHeaders } from 'node:http';
import {
  membersOf,
  metaKeys,
  metaOf,
  rpcCode,
  RpcFailure,
  statelessVersion,
  type Incoming,
} from './exchange.ts';

/** What is wrong with the headers of a request of the stateless era, which repeat parts of it. */
export function checkHeaders(
  headers: IncomingHttpHeaders,
  { method, params = {} }: Incoming,
): RpcFailure | undefined {
  if (method === 'initialize') return undefined;
  const meta = metaOf(params);
  const missing = [metaKeys.protocolVersion, metaKeys.clientCapabilities].find(
    (key) => meta[key] === undefined,
  );
  if (missing !== undefined) {
    return new RpcFailure(rpcCode.invalidParams, `_meta lacks ${missing}`);
  }
  const { name, uri, taskId } = params;
  const region = membersOf(params['arguments'])['region'];
  const wanted: Readonly<Record<string, unknown>> = {
    'mcp-protocol-version': meta[metaKeys.protocolVersion],
    'mcp-method': method,
    'mcp-name': subjectOf(method, { name, uri, taskId }),
    ...(name === 'test_header_tool' && { 'mcp-param-region': region }),
  };
  const wrong = Object.keys(wanted).find(
    (key) => wanted[key] !== undefined && decode(headers[key]) !== wanted[key],
  );
  if (wrong === undefined) return unknownVersion(meta[metaKeys.protocolVersion]);
  const told = `${wrong} is ${String(headers[wrong])}, and the body says ${String(wanted[wrong])}`;
  return new RpcFailure(rpcCode.headerMismatch, told);
}

function unknownVersion(requested: unknown): RpcFailure | undefined {
  if (requested === statelessVersion) return undefined;
  const data = { supported: [statelessVersion], requested };
  return new RpcFailure(rpcCode.unsupportedVersion, 'Unsupported protocol version', data);
}

function subjectOf(
  method: string | undefined,
  { name, uri, taskId }: { name: unknown; uri: unknown; taskId: unknown },
): unknown {
  if (method === 'tools/call' || method === 'prompts/get') return name;
  if (method === 'resources/read') return uri;
  return /^tasks\/(?:get|update|cancel)$/.test(String(method)) ? taskId : undefined;
}

function decode(value: string | string[] | undefined): string | undefined {
  if (typeof value !== 'string') return undefined;
  const encoded = /^=\?base64\?(.*)\?=$/.exec(value)?.[1];
  if (encoded === undefined) return value;
  const bytes = Buffer.from(encoded, 'base64');
  return bytes.toString('base64') === encoded ? bytes.toString() : undefined;
}
