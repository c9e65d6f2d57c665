/** One text that is going to run, or to be read by what runs. */
export interface CodeFile {
  readonly path: string;
  readonly text: string;
  /** A language the scanner knows (`python`, `javascript` …). */
  readonly language: string;
}

/** How bad a finding is, worst first. */
export const severities = ['critical', 'major', 'minor', 'info'] as const;

export type Severity = (typeof severities)[number];

/** A dangerous operation or a malicious pattern. Lines and columns start at 1. */
export interface CheckFinding {
  readonly severity: Severity;
  /** Stable: `python/S602`, `malicious/reverse-shell`. */
  readonly rule: string;
  readonly message: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** Looks for what code could do, without running it. Throws when it cannot tell. */
export type ScanCode = (file: CodeFile, signal: AbortSignal) => Promise<readonly CheckFinding[]>;
