/** Where a value came from. */
export type SettingSource =
  | { readonly kind: 'default' | 'flag' }
  | { readonly kind: 'env'; readonly name: string }
  | {
      readonly kind: 'project' | 'user';
      readonly file: string;
      readonly line: number;
      readonly column: number;
    };

/** One thing that is wrong with the settings. `found` never shows a secret. */
export interface SettingProblem {
  readonly source: SettingSource;
  /** Dotted; empty when the file as a whole is wrong. */
  readonly key: string;
  readonly expected: string;
  readonly found: string;
  /** What was probably meant. */
  readonly suggestion?: string | undefined;
}

/** A source as people read it: `tutti.yaml:3`, `env TUTTI_HOME`, `flag`, `default`. */
export function sourceText(source: SettingSource): string {
  if ('file' in source) return `${source.file}:${source.line}`;
  return 'name' in source ? `${source.kind} ${source.name}` : source.kind;
}

/** A problem as one line: `tutti.yaml:3:9: server.port: expected …, found …`. */
export function problemText(problem: SettingProblem): string {
  const { source, key, expected, found, suggestion } = problem;
  const column = 'column' in source ? `:${source.column}` : '';
  const where = `${sourceText(source)}${column}`;
  const what = key === '' ? '' : `${key}: `;
  const hint = suggestion === undefined ? '' : `. Did you mean "${suggestion}"?`;
  return `${where}: ${what}expected ${expected}, found ${found}${hint}`;
}

/** The dotted key of a part inside a setting's value. */
export function joinKey(key: string, path: readonly PropertyKey[]): string {
  return [key, ...path.map(String)].join('.');
}
