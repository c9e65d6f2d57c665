import type { AuditFace, AuditLog, NewAuditEntry } from '../../contract/access/index.ts';
import type { Caller } from '../../contract/caller/index.ts';
import type { CallContext } from '../../contract/server/index.ts';
import type { RefusedRequest } from '../../http/index.ts';
import { digestJson, type Clock, type Log } from '../../kernel/index.ts';

/** The one place where decisions become entries. Throws `access.audit_unavailable`, except for refusals. */
export interface DecisionRecorder {
  /** A call of a tool; `refusal` is the rule where it is refused. */
  readonly call: (decided: {
    readonly tool: string;
    readonly args: unknown;
    readonly context: Pick<CallContext, 'caller' | 'face' | 'meta'>;
    readonly refusal?: string;
  }) => void;
  /** A request that was refused before it had a caller. */
  readonly refused: (request: RefusedRequest) => void;
  /** Anything else that a caller decided or was allowed to do. */
  readonly decision: (by: Caller, decided: Decided) => void;
}

export interface Decided {
  /** A permission: `servers.manage`. */
  readonly action: string;
  readonly target: string;
  readonly face: AuditFace;
  readonly isAllowed?: boolean;
  readonly rule?: string;
}

export function recordDecisions(
  audit: Pick<AuditLog, 'record'>,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): DecisionRecorder {
  const refused = limitRefusals(clock, (entry) => {
    try {
      audit.record(entry);
    } catch (error) {
      // It is refused in any case.
      log.warn('failed to record refused request', { error });
    }
  });
  return {
    call: (decided) => audit.record(callEntry(decided)),
    refused,
    decision: (by, { isAllowed = true, rule = ruleOf(by), ...decided }) =>
      audit.record({ ...entryBy(by), ...decided, isAllowed, rule }),
  };
}

type ByCaller = Pick<
  NewAuditEntry,
  'callerId' | 'tenant' | 'credential' | 'argumentsDigest' | 'address' | 'traceId'
>;

function entryBy(caller: Caller | undefined): ByCaller {
  return {
    callerId: caller?.id ?? null,
    tenant: caller?.tenant ?? null,
    credential: caller?.credential ?? null,
    argumentsDigest: null,
    address: caller?.address ?? null,
    traceId: null,
  };
}

function callEntry({ tool, args, context, refusal }: Parameters<DecisionRecorder['call']>[0]) {
  const { caller, face = caller.face ?? 'run', meta } = context;
  return {
    ...entryBy(caller),
    action: 'tools.call',
    target: tool,
    isAllowed: refusal === undefined,
    rule: refusal ?? ruleOf(caller),
    face,
    argumentsDigest: args === undefined ? null : digestJson(args),
    traceId: traceIdOf(meta['traceparent']),
  };
}

/** Why the caller may do it. */
export function ruleOf({ role, scopes }: Caller): string {
  if (role === undefined) return 'the user at this machine';
  return scopes === undefined ? `role ${role}` : `role ${role}, scopes ${scopes.join(' ')}`;
}

function traceIdOf(traceparent: unknown): string | null {
  return typeof traceparent === 'string' ? traceparent.slice(3, 35) : null;
}

/** Refusals recorded one by one per minute; the rest of that minute is one entry with their number. */
export const maxRefusals = 300;
const minuteMs = 60_000;

/** A flood of refused requests must neither fill the disk nor keep calls from being recorded. */
function limitRefusals(
  clock: Clock,
  record: (entry: NewAuditEntry) => void,
): DecisionRecorder['refused'] {
  let startedAtMs = Number.NEGATIVE_INFINITY;
  let count = 0;
  const add = (entry: Pick<NewAuditEntry, 'action' | 'target' | 'rule'> & Partial<ByCaller>) => {
    const face = entry.target.includes(' /api/') ? 'rest' : 'mcp';
    record({ ...entryBy(undefined), isAllowed: false, face, ...entry });
  };
  return ({ by, status, message, method, path, address = null }) => {
    const now = clock.now();
    if (now - startedAtMs >= minuteMs) {
      const more = count - maxRefusals;
      const rule = `${more} more requests were refused within a minute`;
      if (more > 0) add({ action: 'auth.refused', target: 'requests', rule });
      startedAtMs = now;
      count = 0;
    }
    count += 1;
    if (count > maxRefusals) return;
    const action = by === 'guard' ? 'guard.refused' : 'auth.refused';
    // The rest of the message is advice.
    const [reason = ''] = message.split(/[.:]/, 1);
    add({ action, target: `${method} ${path}`, rule: `${status}: ${reason}`, address });
  };
}
