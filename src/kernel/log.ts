/** Data of a log line. Secrets in it are hidden by the writer, not by the caller's care. */
export type LogFields = Readonly<Record<string, unknown>>;

/** The one structured logger, passed as an argument. Messages are constant; data goes in fields. */
export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** A logger whose every line carries `fields` too. */
  child(fields: LogFields): Log;
}

/** Writes nothing: for tests and for callers that did not ask for a log. */
export const silentLog: Log = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  child: () => silentLog,
};
