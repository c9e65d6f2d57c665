import {
  decideTool,
  demandPermission,
  type AccessExplanation,
  type AccessPolicy,
} from '../contract/access/index.ts';
import { localCaller, type Caller } from '../contract/caller/index.ts';
import type { Catalogue } from '../contract/catalogue/index.ts';
import type { Clock } from '../kernel/index.ts';
import { callerOfKey } from './credentials.ts';
import { UnknownKeyError } from './errors.ts';
import { keyCredential } from './key-secret.ts';
import type { KeyStore, StoredKey } from './key-store.ts';

export interface PolicyParts {
  readonly store: Pick<KeyStore, 'list' | 'state'>;
  readonly catalogue: () => Pick<Catalogue, 'entries'>;
  readonly clock: Clock;
}

const maxKeys = 10_000;

/** Answers what would be decided, with the function that decides. */
export function createAccessPolicy({ store, catalogue, clock }: PolicyParts): AccessPolicy {
  return {
    async explain(by, wanted, name) {
      demandPermission(by, 'access.read');
      const tool = await findTool(catalogue(), name);
      const explain = (caller: Caller, closed?: string): AccessExplanation => {
        const decision = tool && decideTool(caller, tool);
        const rule = closed ?? decision?.rule ?? `there is no tool "${name}"`;
        const isAllowed = closed === undefined && decision?.isAllowed === true;
        const { id: callerId, credential = null } = caller;
        return { callerId, credential, tool: tool?.name ?? name, isAllowed, rule };
      };
      if (wanted === localCaller.id && by.role === undefined) return [explain(localCaller)];
      const all = await store.list(by.role === undefined ? null : (by.tenant ?? ''), maxKeys);
      const keys = all.filter((key) => [key.id, key.callerId, key.name].includes(wanted));
      if (keys.length === 0) throw new UnknownKeyError(wanted);
      const { disabledTenants } = await store.state();
      return keys.map((key) =>
        explain(callerOfKey(key), whyClosed(key, disabledTenants.has(key.tenant), clock.now())),
      );
    },
  };
}

async function findTool(catalogue: Pick<Catalogue, 'entries'>, name: string) {
  const entries = await catalogue.entries();
  return entries.find((entry) => entry.name === name || entry.wireName === name);
}

function whyClosed(key: StoredKey, isTenantOff: boolean, now: number): string | undefined {
  const what = keyCredential(key.id);
  if (key.revokedAtMs !== null) return `${what} was revoked`;
  if (key.disabledAtMs !== null) return `${what} is disabled`;
  if ((key.expiresAtMs ?? Infinity) <= now) return `${what} has expired`;
  return isTenantOff ? `tenant ${key.tenant} is disabled` : undefined;
}
