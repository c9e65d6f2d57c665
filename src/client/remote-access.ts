import type { AccessPolicy, ApiKeys, AuditLog, Tenants } from '../contract/access/index.ts';
import type { Connection } from './connection.ts';
import { refuse } from './remote-rooms.ts';

export function remoteKeys(connection: Connection): ApiKeys {
  const path = (id: string): { id: string } => ({ id });
  return {
    create: async (_by, key) => {
      const { scopes, ...named } = key;
      const body = { ...named, ...(scopes && { scopes: [...scopes] }) };
      return await connection.call('postKeys', { body });
    },
    list: async () => await connection.all('getKeys', {}),
    rotate: async (_by, id, options) =>
      await connection.call('postKeysByIdRotate', { path: path(id), body: options }),
    revoke: async (_by, id) => await connection.call('deleteKeysById', { path: path(id) }),
    setDisabled: async (_by, id, isDisabled) =>
      await connection.call('postKeysByIdEnable', {
        path: path(id),
        body: { enabled: !isDisabled },
      }),
  };
}

export function remoteTenants(connection: Connection): Tenants {
  return {
    list: async () => (await connection.call('getTenants', {})).items,
    setDisabled: async (_by, name, isDisabled) =>
      await connection.call('postTenantsByNameEnable', {
        path: { name },
        body: { enabled: !isDisabled },
      }),
  };
}

export function remotePolicy(connection: Connection): AccessPolicy {
  return {
    explain: async (_by, caller, tool) =>
      (await connection.call('getAccessExplain', { query: { caller, tool } })).items,
  };
}

/** Switches a server off or on in the settings of the machine that serves. */
export function remoteServerSwitch(connection: Connection) {
  return async (name: string, isEnabled: boolean): Promise<void> => {
    await connection.call('postServersByNameEnable', {
      path: { name },
      body: { enabled: isEnabled },
    });
  };
}

export function remoteAudit(connection: Connection): AuditLog {
  return {
    record: refuse('Recording a decision'),
    list: async (_by, { limit, isAllowed, callerId }) => {
      const query = {
        ...(isAllowed !== undefined && { isAllowed }),
        ...(callerId !== undefined && { callerId }),
      };
      return await connection.all('getAudit', { query }, { limit });
    },
    verify: async () => await connection.call('postAuditVerify', {}),
  };
}
