export { isPlainlyHarmless } from './check/is-plainly-harmless.ts';
export { rulesThatHarmNobody } from './check/python-signs.ts';
export type { CheckFinding, CodeFile, ScanCode } from './check/scan-code.ts';
export { createExecServer } from './exec-server.ts';
