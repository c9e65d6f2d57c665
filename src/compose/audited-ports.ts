import { ruleOf } from '../access/index.ts';
import type { ApiKeys, AuditFace, Tenants } from '../contract/access/index.ts';
import { localCaller, type Caller } from '../contract/caller/index.ts';
import type { FleetControl } from '../contract/fleet/index.ts';
import type { Instances } from '../contract/instance/index.ts';
import type { Workflows } from '../contract/run/index.ts';
import { lazy, lazyObject } from '../kernel/index.ts';
import type { AuditHere } from './audit.ts';
import { requestEverywhere } from './control.ts';

/** A process that does not answer takes it over at its next listing. */
const answerLimitMs = 3_000;

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

/** That an instance was asked to end is recorded before it is. */
export function auditInstances(
  instances: Instances,
  recorder: Recorder,
  face: AuditFace,
): Instances {
  return {
    list: () => instances.list(),
    drain: async (by, id) => {
      recorder?.decision(by, { action: 'instances.drain', target: id, face });
      return instances.drain(by, id);
    },
  };
}

/** Changes of keys are recorded before they count. */
export function auditKeys(keys: ApiKeys, recorder: Recorder, face: AuditFace): ApiKeys {
  const record = (by: Caller, target: string): void =>
    recorder?.decision(by, { action: 'keys.manage', target, face });
  return {
    list: (by) => keys.list(by),
    create: async (by, key) => {
      record(by, `create "${key.name}"`);
      return keys.create(by, key);
    },
    rotate: async (by, ...rest) => {
      record(by, `rotate ${rest[0]}`);
      return keys.rotate(by, ...rest);
    },
    revoke: async (by, id) => {
      record(by, `revoke ${id}`);
      return keys.revoke(by, id);
    },
    setDisabled: async (by, ...rest) => {
      record(by, `${rest[1] ? 'disable' : 'enable'} ${rest[0]}`);
      return keys.setDisabled(by, ...rest);
    },
  };
}

/** That a tenant was switched off or on is recorded before it is. */
export function auditTenants(tenants: Tenants, recorder: Recorder, face: AuditFace): Tenants {
  return {
    list: (by) => tenants.list(by),
    setDisabled: async (by, name, isDisabled) => {
      const target = `${isDisabled ? 'disable' : 'enable'} tenant ${name}`;
      recorder?.decision(by, { action: 'tenants.manage', target, face });
      return tenants.setDisabled(by, name, isDisabled);
    },
  };
}
