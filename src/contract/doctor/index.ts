/** One thing `tutti doctor` looked at. */
export interface Check {
  readonly name: string;
  /** `absent`: not there, and nothing here needs it. */
  readonly status: 'ok' | 'absent' | 'warning' | 'failed';
  readonly message: string;
  readonly fix?: string;
  /** What it consists of, where that says more than the message. */
  readonly details?: readonly CheckDetail[];
}

/** One part of what was looked at. */
export interface CheckDetail {
  readonly name: string;
  /** Who provides it: `kernel`, `supervisor`, `none`. */
  readonly holder: string;
  readonly message: string;
  readonly fix?: string;
}
