import type { AuditEntry } from '../../contract/access/index.ts';

const ocsfVersion = '1.3.0';
const classes = {
  authentication: {
    uid: 3002,
    name: 'Authentication',
    category: 3,
    categoryName: 'Identity & Access Management',
  },
  apiActivity: {
    uid: 6003,
    name: 'API Activity',
    category: 6,
    categoryName: 'Application Activity',
  },
} as const;

/** Logon of the class Authentication. */
const logon = { id: 1, name: 'Logon' };
const other = { id: 99, name: 'Other' };
/** Activities of the class API Activity by the last word of an action. */
const activities: readonly (readonly [RegExp, { readonly id: number; readonly name: string }])[] = [
  [/\.(?:create|start|submit|add)$/, { id: 1, name: 'Create' }],
  [/\.(?:read|check)$/, { id: 2, name: 'Read' }],
  [/\.(?:write|manage|control|approve)$/, { id: 3, name: 'Update' }],
];

/** An entry as an event of the Open Cybersecurity Schema Framework: API Activity, or Authentication for logins. */
export function ocsfEvent(entry: AuditEntry, version: string): Readonly<Record<string, unknown>> {
  const isLogin = /^(?:auth|login)\./.test(entry.action);
  const kind = isLogin ? classes.authentication : classes.apiActivity;
  const activity = isLogin
    ? logon
    : (activities.find(([pattern]) => pattern.test(entry.action))?.[1] ?? other);
  const user = {
    uid: entry.callerId ?? 'unknown',
    ...(entry.tenant !== null && { org: { uid: entry.tenant } }),
    ...(entry.credential !== null && { credential_uid: entry.credential }),
  };
  return {
    class_uid: kind.uid,
    class_name: kind.name,
    category_uid: kind.category,
    category_name: kind.categoryName,
    activity_id: activity.id,
    activity_name: activity.name,
    type_uid: kind.uid * 100 + activity.id,
    time: Date.parse(entry.at),
    severity_id: entry.isAllowed ? 1 : 3,
    severity: entry.isAllowed ? 'Informational' : 'Medium',
    status_id: entry.isAllowed ? 1 : 2,
    status: entry.isAllowed ? 'Success' : 'Failure',
    status_detail: entry.rule,
    action_id: entry.isAllowed ? 1 : 2,
    action: entry.isAllowed ? 'Allowed' : 'Denied',
    metadata: {
      version: ocsfVersion,
      product: { name: 'Tutti', vendor_name: 'Tutti', version },
      uid: String(entry.number),
      sequence: entry.number,
      ...(entry.traceId !== null && { correlation_uid: entry.traceId }),
    },
    ...(isLogin ? { user } : { actor: { user } }),
    src_endpoint: entry.address === null ? { name: 'localhost' } : { ip: entry.address },
    api: { operation: entry.action, service: { name: entry.face } },
    resources: [{ name: entry.target }],
    unmapped: {
      ...mcpFields(entry),
      correlation_id: entry.traceId,
      delegation_path: delegationPath(entry),
      arguments_digest: entry.argumentsDigest,
      previous_digest: entry.previousDigest,
      digest: entry.digest,
    },
  };
}

const methodPattern = /^[a-z]+\/[\w/]+$/;

/** Refused methods are recorded by their names, calls by their tools. */
function mcpFields({ action, target, face }: AuditEntry): object {
  if (face === 'mcp' && methodPattern.test(target)) return { mcp_method: target, mcp_name: null };
  const isCall = action === 'tools.call' && !/^(?:GET|POST|DELETE) /.test(target);
  return { mcp_method: isCall ? 'tools/call' : null, mcp_name: isCall ? target : null };
}

/** From the one that decided to what acted: tenant, caller, its key or token, and the run or agent that used it. */
function delegationPath({ tenant, callerId, credential, face }: AuditEntry): readonly string[] {
  const path = [tenant, callerId ?? 'unknown', credential].filter((part) => part !== null);
  return face === 'run' ? [...path, 'run'] : path;
}
