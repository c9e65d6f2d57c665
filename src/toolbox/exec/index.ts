export { isPlainlyHarmless, harmlessRules } from './check/is-plainly-harmless.ts';
export { type CheckFinding, type CodeFile, type ScanCode } from './check/check-policy.ts';
export { createExecServer } from './exec-server.ts';
