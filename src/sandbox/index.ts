export type { PreparedSandbox, SandboxDriver } from './driver.ts';
export { defaultLimits } from './limits.ts';
export { openSandbox } from './open-sandbox.ts';
export type { PoolOptions } from './pool/sandbox-pool.ts';
