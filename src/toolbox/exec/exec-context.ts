import type { Sandbox, SandboxLimits } from '../../contract/sandbox/index.ts';
import type { CheckPolicy } from './check/check-policy.ts';
import type { ScanCode } from './check/scan-code.ts';

/** What the tools of this server share: built once, passed to each. */
export interface ExecContext {
  /** Opened when something is to run, not before. */
  readonly sandbox: () => Promise<Sandbox>;
  readonly scanCode: ScanCode;
  readonly policy: CheckPolicy;
  /** What a run gets that names no limits. */
  readonly limits: SandboxLimits;
  /** What no run may exceed. */
  readonly ceilings: SandboxLimits;
}
