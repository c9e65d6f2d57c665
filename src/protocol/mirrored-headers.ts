import { metaKey, metaOf } from './envelope.ts';
import type { Params, Request } from './message.ts';
import { rpcErrorCode, type RpcError } from './rpc-error.ts';

/** The headers of an HTTP request by lower-case name, as `node:http` gives them. */
export type HeaderValues = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The member of `params` that the header `Mcp-Name` mirrors. */
const nameSources: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
]);

/**
 * Checks that the headers of a stateless request match its body: a proxy that routes by header and
 * a server that acts by body must not be made to see two different requests.
 */
export function checkMirroredHeaders(
  request: Request,
  headers: HeaderValues,
): RpcError | undefined {
  return (
    mismatch(headers, 'MCP-Protocol-Version', metaOf(request.params)[metaKey.protocolVersion]) ??
    mismatch(headers, 'Mcp-Method', request.method) ??
    nameMismatch(request, headers)
  );
}

/** The same where the era does not require these headers, or is not known yet: those that were sent must match. */
export function checkSentHeaders(
  { method, params }: Pick<Request, 'method' | 'params'>,
  headers: HeaderValues,
): RpcError | undefined {
  const methodProblem =
    headers['mcp-method'] === undefined ? undefined : mismatch(headers, 'Mcp-Method', method);
  const source = nameSources.get(method);
  if (methodProblem || source === undefined || headers['mcp-name'] === undefined) {
    return methodProblem;
  }
  return mismatch(headers, 'Mcp-Name', params[source]);
}

function nameMismatch(request: Request, headers: HeaderValues): RpcError | undefined {
  const source = nameSources.get(request.method);
  if (source === undefined) return undefined;
  const inBody = request.params[source];
  // A missing value is reported by the method itself, as invalid params.
  if (typeof inBody !== 'string') return undefined;
  return mismatch(headers, 'Mcp-Name', inBody);
}

/** A tool parameter that must be mirrored in a header. */
export interface ParamHeader {
  readonly path: readonly string[];
  readonly header: string;
}

const maxSchemaNodes = 10_000;
const maxSchemaDepth = 50;

/** The parameters a tool's input schema marks with `x-mcp-header`, found along `properties` only. */
export function findParamHeaders(inputSchema: Params): ParamHeader[] {
  const found: ParamHeader[] = [];
  const pending: { schema: Params; path: readonly string[] }[] = [
    { schema: inputSchema, path: [] },
  ];
  for (let visited = 0; visited < maxSchemaNodes; visited += 1) {
    const next = pending.pop();
    if (!next) break;
    const header = next.schema['x-mcp-header'];
    if (typeof header === 'string' && next.path.length > 0) {
      found.push({ path: next.path, header: `Mcp-Param-${header}` });
    }
    if (next.path.length >= maxSchemaDepth) continue;
    for (const [name, schema] of propertiesOf(next.schema)) {
      pending.push({ schema, path: [...next.path, name] });
    }
  }
  return found;
}

function propertiesOf(schema: Params): [string, Params][] {
  const properties = schema['properties'];
  if (typeof properties !== 'object' || properties === null) return [];
  return Object.entries(properties).filter(
    (entry): entry is [string, Params] => typeof entry[1] === 'object' && entry[1] !== null,
  );
}

/** The same check for the headers that a tool's schema requires. */
export function checkParamHeaders(
  declared: readonly ParamHeader[],
  args: unknown,
  headers: HeaderValues,
): RpcError | undefined {
  for (const { path, header } of declared) {
    const inBody = valueAt(args, path);
    const isAbsent = inBody === undefined || inBody === null;
    if (isAbsent && headers[header.toLowerCase()] === undefined) continue;
    const problem = mismatch(headers, header, isAbsent ? undefined : inBody);
    if (problem) return problem;
  }
  return undefined;
}

function valueAt(args: unknown, path: readonly string[]): unknown {
  let value: unknown = args;
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name))
      return undefined;
    value = (value as Params)[name];
  }
  return value;
}

const encodedPrefix = '=?base64?';
const encodedSuffix = '?=';
const base64Pattern = /^[A-Za-z0-9+/]*={0,2}$/;

/** The decoded value of a header; undefined for invalid Base64. */
export function decodeHeaderValue(value: string): string | undefined {
  if (!value.startsWith(encodedPrefix) || !value.endsWith(encodedSuffix)) return value;
  const encoded = value.slice(encodedPrefix.length, -encodedSuffix.length);
  if (encoded.length % 4 !== 0 || !base64Pattern.test(encoded)) return undefined;
  return Buffer.from(encoded, 'base64').toString('utf8');
}

const plainValuePattern = /^(?:[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?$/;

/** A header value: plain where a header can hold it, otherwise Base64. */
export function encodeHeaderValue(value: string): string {
  const looksEncoded = value.startsWith(encodedPrefix) && value.endsWith(encodedSuffix);
  if (!looksEncoded && plainValuePattern.test(value)) return value;
  return `${encodedPrefix}${Buffer.from(value, 'utf8').toString('base64')}${encodedSuffix}`;
}

/** The headers that a tool's schema requires, with the values of the arguments. */
export function paramHeaders(
  declared: readonly ParamHeader[],
  args: unknown,
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const { path, header } of declared) {
    const value = valueAt(args, path);
    if (typeof value === 'string') headers[header] = encodeHeaderValue(value);
    if (typeof value === 'number' || typeof value === 'boolean') headers[header] = String(value);
  }
  return headers;
}

/** Headers that are never Base64: methods and versions are plain ASCII. */
const plainHeaders: readonly string[] = ['MCP-Protocol-Version', 'Mcp-Method'];

function mismatch(headers: HeaderValues, name: string, inBody: unknown): RpcError | undefined {
  const raw = headers[name.toLowerCase()];
  if (typeof raw !== 'string') return headerError(`header ${name} is missing`);
  const value = plainHeaders.includes(name) ? raw.trim() : decodeHeaderValue(raw.trim());
  if (value === undefined) return headerError(`header ${name} is not valid Base64`);
  if (isSame(value, inBody)) return undefined;
  return headerError(`header ${name} is "${value}", the body says ${JSON.stringify(inBody)}`);
}

function isSame(value: string, inBody: unknown): boolean {
  if (typeof inBody === 'number') return value !== '' && Number(value) === inBody;
  return typeof inBody === 'boolean' ? value === String(inBody) : value === inBody;
}

function headerError(problem: string): RpcError {
  return { code: rpcErrorCode.headerMismatch, message: `Header mismatch: ${problem}` };
}
