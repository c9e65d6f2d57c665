export type { CheckFinding, CodeFile, ScanCode } from './check/scan-code.ts';
export { createExecServer } from './exec-server.ts';
