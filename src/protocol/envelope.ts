import { isRecord, type Params, type Request } from './message.ts';
import { rpcErrorCode, type RpcError } from './rpc-error.ts';
import { statelessVersions } from './version.ts';

/** The keys of `_meta` that the stateless era defines. */
export const metaKey = {
  protocolVersion: 'io.modelcontextprotocol/protocolVersion',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  logLevel: 'io.modelcontextprotocol/logLevel',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
} as const;

/** The era of a request, or why it cannot be answered. */
export type EraVerdict =
  | { readonly kind: 'handshake' }
  | { readonly kind: 'stateless'; readonly version: string }
  | { readonly kind: 'rejected'; readonly error: RpcError };

const statelessOnlyMethods: readonly string[] = ['server/discover', 'subscriptions/listen'];

/**
 * Decides by the request itself: the version in `_meta`, else the version header of its
 * transport (if it has headers), else a method only one era knows.
 */
export function judgeEra(request: Request, versionHeader?: string): EraVerdict {
  const meta = metaOf(request.params);
  const claimed = meta[metaKey.protocolVersion];
  if (claimed === undefined) {
    const headerIsStateless =
      versionHeader !== undefined && statelessVersions.includes(versionHeader);
    if (!headerIsStateless && !statelessOnlyMethods.includes(request.method)) {
      return { kind: 'handshake' };
    }
    return rejectedParams(`params._meta["${metaKey.protocolVersion}"] is required`);
  }
  if (typeof claimed !== 'string') {
    return rejectedParams(`params._meta["${metaKey.protocolVersion}"] must be a string`);
  }
  if (!isRecord(meta[metaKey.clientCapabilities])) {
    return rejectedParams(
      `params._meta["${metaKey.clientCapabilities}"] is required, an object (empty for none)`,
    );
  }
  return { kind: 'stateless', version: claimed };
}

/** The error for an unsupported version; undefined when it is supported. */
export function unsupportedVersion(requested: string): RpcError | undefined {
  if (statelessVersions.includes(requested)) return undefined;
  return {
    code: rpcErrorCode.unsupportedVersion,
    message: 'Unsupported protocol version',
    data: { supported: statelessVersions, requested },
  };
}

const noMeta: Params = Object.freeze({});

/** `_meta` of a request's params; empty when it is missing or not an object. */
export function metaOf(params: Params): Params {
  const meta = params['_meta'];
  return isRecord(meta) ? meta : noMeta;
}

function rejectedParams(message: string): EraVerdict {
  return { kind: 'rejected', error: { code: rpcErrorCode.invalidParams, message } };
}
