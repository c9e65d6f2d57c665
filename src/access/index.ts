export { createApiKeys, createTenants } from './api-keys.ts';
export { Credentials } from './credentials.ts';
export { createAccessPolicy } from './explain-access.ts';
export { createVerifyJwt, type FetchKeys } from './jwt.ts';
export { protectedResourceRoutes, resourceChallenge } from './protected-resource.ts';
export type {
  AccessState,
  KeyCandidate,
  KeyStore,
  RunGrant,
  StoredKey,
  StoredSecret,
} from './key-store.ts';
export type { AuditMark, AuditMarks, AuditQuery, AuditStore } from './audit/audit-store.ts';
export {
  createAuditLog,
  type AuditLogOptions,
  type RunningAuditLog,
} from './audit/create-audit-log.ts';
export { ocsfEvent } from './audit/ocsf.ts';
export { recordDecisions, ruleOf, type DecisionRecorder } from './audit/record-decisions.ts';
