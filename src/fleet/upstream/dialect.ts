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

/** How requests to a server are written in its era. */
export interface Dialect {
  readonly era: Era;
  readonly meta: MetaWriter;
  /** Headers that mirror parts of a request, for HTTP links. */
  headers(draft: DraftRequest): Readonly<Record<string, string>>;
}

/** The link itself adds the version header. */
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
