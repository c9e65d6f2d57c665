/** One setting as `tutti config` shows it. */
export interface SettingRow {
  /** Dotted: `server.port`. */
  readonly key: string;
  /** The value as JSON, secrets replaced by `[hidden]`; undefined when it is not set. */
  readonly value: unknown;
  /** `default`, `flag`, `env TUTTI_HOME` or `path/tutti.yaml:3`. */
  readonly source: string;
  readonly description: string;
}
