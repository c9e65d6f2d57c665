/** The error codes of JSON-RPC 2.0 and the ones MCP adds. */
export const rpcErrorCode = {
  parseError: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internalError: -32_603,
  /** Handshake era only; since 2026-07-28 an unknown resource is `invalidParams`. */
  resourceNotFound: -32_002,
  headerMismatch: -32_020,
  /** The request needs a client capability that it does not declare; stateless era only. */
  missingClientCapability: -32_021,
  unsupportedVersion: -32_022,
} as const;

/** The `error` member of a response. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}
