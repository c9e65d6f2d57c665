import {
  createAuditLog,
  recordDecisions,
  ruleOf,
  type DecisionRecorder,
  type RunningAuditLog,
} from '../access/index.ts';
import type { Settings } from '../config/index.ts';
import { permissions } from '../contract/access/index.ts';
import { localCaller } from '../contract/caller/index.ts';

import type { ServerEdit } from '../contract/server-files/index.ts';
import type { HttpGatewayOptions } from '../gateway/index.ts';
import type { RefusedRequest } from '../http/index.ts';
import { silentLog, systemClock, type Log } from '../kernel/index.ts';
import { redactText, traceLimits } from '../observe/index.ts';
import { openStore, type Store } from '../store/index.ts';

/** The audit log of this process and what writes to it. */
export interface AuditHere {
  readonly log: RunningAuditLog;
  /** Undefined where nothing is recorded. */
  readonly recorder: DecisionRecorder | undefined;
  readonly onRefused: ((refused: RefusedRequest) => void) | undefined;
  readonly onForbidden: HttpGatewayOptions['onForbidden'];
  readonly onHeaderMismatch: HttpGatewayOptions['onHeaderMismatch'];
}

interface AuditParts {
  readonly settings: Pick<Settings, 'audit'>;
  readonly store: Pick<Store, 'audit'>;
  readonly log: Log;
}

const dayMs = 86_400_000;

export function auditHere({ settings, store, log }: AuditParts): AuditHere {
  const { enabled, keep_days, max_entries: maxEntries } = settings.audit;
  const audit = createAuditLog({
    store: store.audit,
    clock: systemClock,
    log,
    redact: redactText,
    keepMs: keep_days * dayMs,
    maxEntries,
  });
  const recorder = enabled ? recordDecisions(audit, { clock: systemClock, log }) : undefined;
  const onForbidden: AuditHere['onForbidden'] = ({ caller, method, permission }) =>
    recorder?.decision(caller, {
      action: permission,
      target: method,
      face: 'mcp',
      isAllowed: false,
      rule: `${ruleOf(caller)}, and ${permission} is from ${permissions[permission].from} on`,
    });
  const onHeaderMismatch: AuditHere['onHeaderMismatch'] = ({ caller, method }) => {
    const rule = 'headers and body of the request differ';
    log.warn('request headers do not match its body', { method, caller: caller.id });
    const refused = { action: 'guard.refused', target: method, isAllowed: false, rule } as const;
    recorder?.decision(caller, { ...refused, face: 'mcp' });
  };
  const onRefused = recorder?.refused;
  return { log: audit, recorder, onRefused, onForbidden, onHeaderMismatch };
}

/** For commands that open no system: what is about to be done is on the disk when this returns. */
export async function recordChange(
  settings: Pick<Settings, 'audit' | 'home' | 'database_url'>,
  target: string,
): Promise<void> {
  if (!settings.audit.enabled) return;
  const { home, database_url } = settings;
  const store = openStore({ home, databaseUrl: database_url?.reveal(), traceLimits });
  const { log, recorder } = auditHere({ settings, store, log: silentLog });
  try {
    recorder?.decision(localCaller, { action: 'servers.manage', target, face: 'cli' });
    await log.flush();
  } finally {
    await log.close();
    store.close();
  }
}

/** What takes a server away is done even where it cannot be recorded; anything else is not. */
export async function recordEdit(
  values: Pick<Settings, 'audit' | 'home' | 'database_url'>,
  target: 'user' | 'project',
  { kind, name }: ServerEdit,
): Promise<void> {
  const recording = recordChange(values, `${kind} ${name} in the ${target} file`);
  await (kind === 'disable' || kind === 'remove' ? recording.catch(() => {}) : recording);
}
