import type { LockedPackage } from './locked-package.ts';
import type { OsvRecord } from './osv-record.ts';

/** Port: who knows which vulnerabilities a package version has. */
export interface OsvSource {
  readonly kind: 'osv-api' | 'osv-directory';
  /** Records per package, in the order of `packages`. Throws when it cannot tell for all of them. */
  lookUp(packages: readonly LockedPackage[], options: LookUpOptions): Promise<OsvAnswer>;
}

export interface LookUpOptions {
  readonly signal: AbortSignal;
  readonly progress: (done: number, total: number, message: string) => void;
}

export interface OsvAnswer {
  readonly records: readonly (readonly OsvRecord[])[];
  /** How new the knowledge is. */
  readonly asOf: string;
  readonly warnings: readonly string[];
}
