export type Members = Readonly<Record<string, unknown>>;
export type Era = 'handshake' | 'stateless';
export type MessageId = string | number;

/** Any JSON-RPC message, as it came. */
export interface Incoming {
  readonly id?: MessageId;
  readonly method?: string;
  readonly params?: Members;
  readonly result?: Members;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** One request and the way back to who sent it. */
export interface Exchange {
  readonly era: Era;
  readonly params: Members;
  /** What the client says it can do: of the session, or of this request. */
  readonly capabilities: Members;
  /** The client wants log lines of this severity. */
  readonly wantsLogs: boolean;
  readonly notify: (method: string, params: Members) => void;
  /** Handshake era only: a request to the client while this one runs. */
  readonly ask: (question: Question) => Promise<Members>;
}

export interface Question {
  readonly method: string;
  readonly params: Members;
}

/** What is answered with a JSON-RPC error. */
export class RpcFailure extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export const rpcCode = {
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internalError: -32_603,
  headerMismatch: -32_020,
  missingCapability: -32_021,
  unsupportedVersion: -32_022,
} as const;

export const metaKeys = {
  protocolVersion: 'io.modelcontextprotocol/protocolVersion',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  logLevel: 'io.modelcontextprotocol/logLevel',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
} as const;

export const statelessVersion = '2026-07-28';
export const tasksExtension = 'io.modelcontextprotocol/tasks';

/** The `error` member of an answer. */
export function errorOf(error: unknown): Members {
  if (!(error instanceof RpcFailure)) {
    return { code: rpcCode.internalError, message: String(error) };
  }
  const { code, message, data } = error;
  return { code, message, ...(data !== undefined && { data }) };
}

export function membersOf(value: unknown): Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Members)
    : {};
}

export function metaOf(params: Members | undefined): Members {
  return membersOf(params?.['_meta']);
}

export function said(text: string): Members {
  return { content: [{ type: 'text', text }] };
}
