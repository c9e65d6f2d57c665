import {
  encodeHeaderValue,
  newestHandshakeVersion,
  statelessVersions,
  type Era,
  type Params,
} from '../../protocol/index.ts';
import {
  handshakeMeta,
  statelessMeta,
  type DraftRequest,
  type MetaWriter,
} from './request-text.ts';

/** How requests to one server are worded in the era it speaks. */
export interface Dialect {
  readonly era: Era;
  readonly meta: MetaWriter;
  /** The headers that repeat parts of a request, for links that have headers. */
  headers(draft: DraftRequest): Readonly<Record<string, string>>;
}

/** Its one header, the version, is the business of the link. */
export const handshakeDialect: Dialect = {
  era: 'handshake',
  meta: handshakeMeta,
  headers: () => noHeaders,
};

const noHeaders = Object.freeze({});

export interface StatelessDialectOptions {
  readonly clientInfo: Params;
  readonly logLevel: () => string | undefined;
}

export const statelessVersion = statelessVersions[0] ?? newestHandshakeVersion;

export function statelessDialect({ clientInfo, logLevel }: StatelessDialectOptions): Dialect {
  return {
    era: 'stateless',
    meta: statelessMeta({ protocolVersion: statelessVersion, clientInfo, logLevel }),
    headers: ({ method, subject, headers }) => ({
      'MCP-Protocol-Version': statelessVersion,
      'Mcp-Method': method,
      ...(subject === undefined ? {} : { 'Mcp-Name': encodeHeaderValue(subject) }),
      ...headers,
    }),
  };
}
