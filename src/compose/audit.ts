import {
  createAuditLog,
  recordDecisions,
  ruleOf,
  type DecisionRecorder,
  type RunningAuditLog,
} from '../access/index.ts';
import type { Settings } from '../config/index.ts';
import type { AuditFace } from '../contract/access/index.ts';
import { localCaller } from '../contract/caller/index.ts';
import type { FleetControl } from '../contract/fleet/index.ts';
import type { Workflows } from '../contract/run/index.ts';
import type { ServerEdit } from '../contract/server-files/index.ts';
import type { RefusedRequest } from '../http/index.ts';
import { lazy, lazyObject, silentLog, systemClock, type Log } from '../kernel/index.ts';
import { redactText, traceLimits } from '../observe/index.ts';
import { openStore, type Store } from '../store/index.ts';
import { requestEverywhere } from './control.ts';

/** The audit log of this process and what writes to it. */
export interface AuditHere {
  readonly log: RunningAuditLog;
  /** Undefined where nothing is recorded. */
  readonly recorder: DecisionRecorder | undefined;
  readonly onRefused: ((refused: RefusedRequest) => void) | undefined;
}

interface AuditParts {
  readonly settings: Pick<Settings, 'audit'>;
  readonly store: Pick<Store, 'audit'>;
  readonly log: Log;
}

const dayMs = 86_400_000;
/** A process that does not answer takes it over at its next listing. */
const answerLimitMs = 3_000;

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
  return { log: audit, recorder, onRefused: recorder?.refused };
}

type Recorder = AuditHere['recorder'];

/** Approvals, denials and resolutions are recorded before they count. */
export function auditWorkflows(inner: Workflows, recorder: Recorder, face: AuditFace): Workflows {
  const action = 'runs.approve';
  const targetOf = (runId: string, step = ''): string => `${runId} ${step}`.trimEnd();
  return lazyObject<Workflows>(
    lazy(async () => inner),
    {
      decide: async (caller, runId, decision) => {
        const target = targetOf(runId, decision.step);
        const isAllowed = decision.verdict === 'approved';
        const rule = `${decision.verdict} by ${ruleOf(caller)}`;
        recorder?.decision(caller, { action, target, face, isAllowed, rule });
        await inner.decide(caller, runId, decision);
      },
      resolve: async (...args) => {
        const [caller, runId, step, resolution] = args;
        const rule = `resolved as ${resolution.kind} by ${ruleOf(caller)}`;
        recorder?.decision(caller, { action, target: targetOf(runId, step), face, rule });
        await inner.resolve(...args);
      },
    },
  );
}

/** Restarts and accepted tools are recorded before they count. */
export function auditFleet(
  control: FleetControl,
  { recorder, home }: { readonly recorder: Recorder; readonly home: string },
): FleetControl {
  const record = (target: string): void =>
    recorder?.decision(localCaller, { action: 'servers.manage', target, face: 'cli' });
  return {
    status: (caller) => control.status(caller),
    startAll: (limitMs) => control.startAll(limitMs),
    logs: (name, maxLines) => control.logs(name, maxLines),
    collisions: () => control.collisions(),
    restart: async (name) => {
      record(`restart ${name}`);
      await control.restart(name);
    },
    diffTools: (name) => control.diffTools(name),
    rereadTools: (name) => control.rereadTools(name),
    acceptTools: async (name, tools) => {
      record(['accept', name, ...(tools ?? [])].join(' '));
      const accepted = await control.acceptTools(name, tools);
      if (accepted.length > 0) await requestEverywhere(home, { reread: name }, answerLimitMs);
      return accepted;
    },
    login: async (...args) => {
      record(`log in to ${args[0]}`);
      return control.login(...args);
    },
    logout: async (...args) => {
      record(`log out of ${args[0]}`);
      return control.logout(...args);
    },
  };
}

/** For commands that open no system: what is about to be done is on the disk when this returns. */
export async function recordChange(
  settings: Pick<Settings, 'audit' | 'home'>,
  target: string,
): Promise<void> {
  if (!settings.audit.enabled) return;
  const store = openStore({ home: settings.home, traceLimits });
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
  values: Pick<Settings, 'audit' | 'home'>,
  target: 'user' | 'project',
  { kind, name }: ServerEdit,
): Promise<void> {
  const recording = recordChange(values, `${kind} ${name} in the ${target} file`);
  await (kind === 'disable' || kind === 'remove' ? recording.catch(() => {}) : recording);
}
