import { onTestFinished } from 'vitest';
import { createAuditLog, type AuditLogOptions } from '../../src/access/index.ts';
import type { NewAuditEntry } from '../../src/contract/access/index.ts';
import { silentLog, systemClock } from '../../src/kernel/index.ts';
import { redactText } from '../../src/observe/index.ts';
import { aStore } from '../store/a-store.ts';

/** An audit log on a store of its own unless one is given; closed when the running test has finished. */
export function anAuditLog(options: Partial<AuditLogOptions> = {}) {
  const log = createAuditLog({
    store: options.store ?? aStore().audit,
    clock: systemClock,
    log: silentLog,
    redact: redactText,
    keepMs: 365 * 86_400_000,
    maxEntries: 1_000_000,
    ...options,
  });
  onTestFinished(() => log.close());
  return log;
}

export function aDecision(parts: Partial<NewAuditEntry> = {}): NewAuditEntry {
  return {
    callerId: 'local',
    tenant: null,
    credential: null,
    action: 'tools.call',
    target: 'code.review_code',
    isAllowed: true,
    rule: 'local user',
    face: 'mcp',
    argumentsDigest: `sha256:${'ab'.repeat(32)}`,
    address: null,
    traceId: '0af7651916cd43dd8448eb211c80319c',
    ...parts,
  };
}
