/**
 * Attribute names that tracing itself reads or writes. `error.type` is OpenTelemetry's; its
 * conventions for GenAI and MCP still change, so they are kept as our own.
 */
export const spanAttribute = {
  errorType: 'error.type',
  /** The caller or the connection gave up; not a failure. */
  cancelled: 'tutti.cancelled',
} as const;

/** `error.type` of a call whose tool answered with `isError`. */
export const toolErrorType = 'tool_error';
