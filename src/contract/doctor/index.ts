/** One check of `tutti doctor`. */
export interface Check {
  readonly name: string;
  /** `absent`: not there, and nothing here needs it. */
  readonly status: 'ok' | 'absent' | 'warning' | 'failed';
  readonly message: string;
  readonly fix?: string;
  /** What it consists of, where that says more than the message. */
  readonly details?: readonly CheckDetail[];
}

/** One part of a check. */
export interface CheckDetail {
  readonly name: string;
  /** What enforces it: `kernel`, `supervisor`, `none`. */
  readonly holder: string;
  readonly message: string;
  readonly fix?: string;
}
