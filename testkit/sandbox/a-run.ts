import type { SandboxRun } from '../../src/contract/sandbox/index.ts';
import { defaultLimits } from '../../src/sandbox/limits.ts';

/** A run that every driver can do. */
export function aRun(change: Partial<SandboxRun> = {}): SandboxRun {
  return {
    toolchain: 'shell',
    program: { kind: 'command', argv: ['sh', '-c', 'cat'] },
    files: {},
    env: {},
    stdin: '',
    limits: defaultLimits,
    mounts: [],
    collect: null,
    ...change,
  };
}
